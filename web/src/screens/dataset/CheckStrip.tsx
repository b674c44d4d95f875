import { millis, minuteText } from "../../model/times";
import { Badge } from "../../ui/Badge";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { cellsOf, cellText, cellTone, type Check, stripText } from "./checks";
import styles from "./checks.module.css";
import { ToldBy } from "./ToldBy";

/** One cell a check, the latest at the right; those that failed stand out by height as well as by colour. */
export function CheckStrip({ check }: { check: Check }) {
  return (
    <span className={styles.strip} role="img" aria-label={stripText(check)}>
      {cellsOf(check).map((point) => (
        <i
          key={point.event}
          data-tone={cellTone(point.success)}
          title={`${minuteText(millis(point.at))}: ${cellText(point.success)}${point.actual === undefined ? "" : `\nfound ${point.actual}`}`}
        />
      ))}
    </span>
  );
}

type Point = Check["points"][number];

const COLUMNS: Column<Point>[] = [
  { key: "at", title: "When", width: "130px", cell: (point) => <Time at={point.at} /> },
  {
    key: "success",
    title: "Result",
    width: "100px",
    cell: (point) => <Badge tone={cellTone(point.success)}>{cellText(point.success)}</Badge>,
  },
  { key: "expected", title: "Expected", cell: (point) => point.expected ?? "" },
  { key: "actual", title: "Found", cell: (point) => point.actual ?? "" },
  { key: "by", title: "By", width: "minmax(140px, 1.5fr)", cell: (point) => <ToldBy {...point} /> },
];

export function CheckTable({ check }: { check: Check }) {
  return (
    <Table
      label={`${check.assertion}${check.column ? ` of ${check.column}` : ""}: every check`}
      columns={COLUMNS}
      rows={check.points.toReversed()}
      keyOf={(point) => point.event}
      height={280}
    />
  );
}
