// Figures in tables with a bar beside them, so that rows can be compared at a glance.
import { durationText } from "../../model/times";
import styles from "./Bars.module.css";

interface ShareProps {
  /** Of one. */
  share: number;
  tone?: "plain" | "bad";
  /** More room for the figure: durations are longer than numbers. */
  wide?: boolean;
  children: React.ReactNode;
}

export function ShareBar({ share, tone = "plain", wide = false, children }: ShareProps) {
  return (
    <span className={styles.share} data-tone={tone} data-wide={wide || undefined}>
      <span className={styles.track} aria-hidden="true">
        <i style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
      </span>
      <span className={styles.figure}>{children}</span>
    </span>
  );
}

export interface Quantiles {
  p50: number;
  p95: number;
  p99: number;
}

interface QuantileProps {
  of: Quantiles;
  /** The greatest p99 of the table, in the same unit. */
  most: number;
  /** What a unit is in milliseconds. */
  unitMs?: number;
}

/** From the start to the median full, to p95 pale, p99 as a line. */
export function QuantileBar({ of, most, unitMs = 1 }: QuantileProps) {
  const at = (value: number) => `${most > 0 ? (value / most) * 100 : 0}%`;
  const text = (value: number) => durationText(value * unitMs);
  return (
    <span
      className={styles.quantiles}
      title={`p50 ${text(of.p50)}, p95 ${text(of.p95)}, p99 ${text(of.p99)}`}
      aria-hidden="true"
    >
      <i className={styles.most} style={{ width: at(of.p95) }} />
      <i className={styles.half} style={{ width: at(of.p50) }} />
      <i className={styles.nearlyAll} style={{ left: `min(${at(of.p99)}, calc(100% - 1.5px))` }} />
    </span>
  );
}

export function greatest(rows: Quantiles[]): number {
  return rows.reduce((most, row) => Math.max(most, row.p99), 0);
}
