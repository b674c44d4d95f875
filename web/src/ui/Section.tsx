import { useId } from "react";
import styles from "./Section.module.css";

interface Props {
  title: React.ReactNode;
  /** What the title can't say, in a word or a sentence. */
  note?: React.ReactNode;
  /** Buttons and choices that belong to it. */
  actions?: React.ReactNode;
  /** Without padding, for tables and graphs that fill it. */
  flush?: boolean;
  children: React.ReactNode;
}

/** A part of a screen with its heading. */
export function Section({ title, note, actions, flush = false, children }: Props) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {note != null && <span className={styles.note}>{note}</span>}
        {actions != null && <div className={styles.actions}>{actions}</div>}
      </header>
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

/** Pairs of a name and a value, in as many columns as fit. */
export function Facts({ facts }: { facts: [string, React.ReactNode][] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className={styles.none}>–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
