import { useState } from "react";
import { minuteText, utcText } from "../model/times";
import type { Painted } from "./moments";
import styles from "./TimeChart.module.css";

interface TipProps {
  series: Painted[];
  at: number;
  format: (value: number) => string;
  /** Where the cursor is, and how much room there is. */
  x: number;
  width: number;
  stacked: boolean;
}

const MOST_LINES = 10;

/** What the series say at the cursor, on the side that has room. */
export function Tip({ series, at, format, x, width, stacked }: TipProps) {
  const told = series.flatMap((one) => {
    const value = one.values.get(at);
    return value == null ? [] : [{ one, value }];
  });
  const shown = told.length > MOST_LINES ? [...told].sort((a, b) => b.value - a.value).slice(0, MOST_LINES) : told;
  const place = x < width / 2 ? { left: x + 10 } : { right: width - x + 10 };
  return (
    <div className={styles.tip} style={place}>
      <div className={styles.tipTime}>{minuteText(at)}</div>
      {shown.map(({ one, value }) => (
        <div key={one.name} className={styles.tipLine}>
          <i style={{ background: one.paint }} />
          <span>{one.name}</span>
          <b>{format(value)}</b>
        </div>
      ))}
      {told.length > shown.length && <div className={styles.tipTime}>and {told.length - shown.length} smaller</div>}
      {stacked && told.length > 1 && (
        <div className={styles.tipLine}>
          <i />
          <span>together</span>
          <b>{format(told.reduce((sum, { value }) => sum + value, 0))}</b>
        </div>
      )}
    </div>
  );
}

interface FiguresProps {
  label: string;
  series: Painted[];
  moments: number[];
  format: (value: number) => string;
}

export function Figures({ label, series, moments, format }: FiguresProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.figures} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Figures</summary>
      {open && (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${label}: figures`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map((one) => (
                  <th key={one.name} scope="col">
                    {one.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {moments.map((at) => (
                <tr key={at}>
                  <th scope="row" title={utcText(at)}>
                    {minuteText(at)}
                  </th>
                  {series.map((one) => {
                    const value = one.values.get(at);
                    return <td key={one.name}>{value == null ? "–" : format(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
