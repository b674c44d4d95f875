import { Link } from "wouter";
import type { Tone } from "../model/states";
import styles from "./Figure.module.css";

interface Props {
  title: string;
  value: React.ReactNode;
  note?: React.ReactNode;
  tone?: Tone;
  href?: string;
}

/** One number that matters, with what it means; a link to what is behind it. */
export function Figure({ title, value, note, tone = "idle", href }: Props) {
  const inside = (
    <>
      <span className={styles.title}>{title}</span>
      <span className={styles.value} data-tone={tone}>
        {value}
      </span>
      {note != null && <span className={styles.note}>{note}</span>}
    </>
  );
  return href ? (
    <Link href={href} className={styles.figure}>
      {inside}
    </Link>
  ) : (
    <div className={styles.figure}>{inside}</div>
  );
}

export function Figures({ children }: { children: React.ReactNode }) {
  return <div className={styles.figures}>{children}</div>;
}
