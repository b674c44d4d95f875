import { stateText, toneOf, type Tone } from "../model/states";
import styles from "./Badge.module.css";

/** A quiet word with a dot: colour never tells alone. */
export function Badge({ tone = "idle", children, title }: { tone?: Tone; children: React.ReactNode; title?: string }) {
  return (
    <span className={styles.badge} data-tone={tone} title={title}>
      <span className={styles.dot} aria-hidden="true" />
      {children}
    </span>
  );
}

export function StateBadge({ state }: { state: string | null | undefined }) {
  return <Badge tone={toneOf(state)}>{stateText(state)}</Badge>;
}

export function Tag({ children }: { children: React.ReactNode }) {
  return <span className={styles.tag}>{children}</span>;
}
