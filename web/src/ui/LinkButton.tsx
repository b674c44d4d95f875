import type { ReactNode } from "react";
import { Link } from "wouter";
import styles from "./Button.module.css";

interface Props {
  href: string;
  look?: "main" | "plain";
  title?: string;
  children: ReactNode;
}

/** A link that stands among buttons. */
export function LinkButton({ href, look = "plain", title, children }: Props) {
  return (
    <Link href={href} className={`${styles.button} ${styles[look] ?? ""}`} title={title}>
      {children}
    </Link>
  );
}
