import { toneOf } from "../../model/states";
import styles from "./Pipelines.module.css";

/** How far something is, as a bar and a number. */
export function ProgressBar({ label, percent, state }: { label: string; percent: number; state: string }) {
  return (
    <span className={styles.progress} data-tone={toneOf(state)}>
      <span
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className={styles.bar}
      >
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className={styles.percent}>{percent} %</span>
    </span>
  );
}
