import { Link } from "wouter";
import styles from "../../ui/Button.module.css";

/** A link that stands among buttons. */
export function LinkButton({ href, children, title }: { href: string; children: React.ReactNode; title?: string }) {
  return (
    <Link href={href} className={`${styles.button} ${styles.plain ?? ""}`} title={title}>
      {children}
    </Link>
  );
}
