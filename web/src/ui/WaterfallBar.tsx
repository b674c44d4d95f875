import { durationText } from "../model/times";
import { placeOf, type View } from "../model/waterfall";
import type { WaterfallRow } from "./Waterfall";
import styles from "./Waterfall.module.css";

interface Props {
  row: WaterfallRow;
  view: View;
  place: { left: number; width: number } | undefined;
}

/** One bar with its duration beside it; what of it decided the end is underlined. */
export function WaterfallBar({ row, view, place }: Props) {
  if (!place) {
    const before = row.start + row.length < view.from;
    return (
      <span className={styles.track} data-beyond={before ? "before" : "after"}>
        <i className={styles.beyond}>{before ? "‹" : "›"}</i>
      </span>
    );
  }
  return (
    <span className={styles.track}>
      <i
        className={styles.bar}
        data-open={row.open || undefined}
        data-failed={row.failed || undefined}
        style={{ left: `${place.left}%`, width: `${place.width}%`, background: `var(${row.color})` }}
      />
      {row.critical?.map((part) => {
        const at = placeOf(part, view);
        return (
          at && (
            <i key={part.start} className={styles.critical} style={{ left: `${at.left}%`, width: `${at.width}%` }} />
          )
        );
      })}
      <span className={styles.length} style={{ left: `${place.left + place.width}%` }}>
        {durationText(row.length)}
        {row.open && "…"}
        <span className="visually-hidden">
          {row.open && ", at work"}
          {row.failed && ", failed"}
          {row.critical && ", on the critical path"}
        </span>
      </span>
    </span>
  );
}
