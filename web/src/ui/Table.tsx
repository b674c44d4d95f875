import { useVirtualizer } from "@tanstack/react-virtual";
import { useState } from "react";
import styles from "./Table.module.css";

export interface Column<Row> {
  key: string;
  title: React.ReactNode;
  cell: (row: Row, index: number) => React.ReactNode;
  /** Figures stand at the right, so that they can be compared. */
  align?: "left" | "right";
  /** A track of a CSS grid: `1fr`, `minmax(120px, 2fr)`, `96px`. */
  width?: string;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row, index: number) => string;
  /** What stands there without rows. */
  empty?: React.ReactNode;
  /** With a height only the rows in sight are drawn, however many there are. */
  height?: number | string;
  /** How many rows there are in all, where not all were fetched; `onNeed` is told which are wanted. */
  total?: number;
  onNeed?: (first: number, last: number) => void;
  /** Rows of two lines, also where they are drawn one by one. */
  tall?: boolean;
  /** As narrow as the screen: for few columns. */
  narrow?: boolean;
}

const ROW = 36;
const TALL_ROW = 52;
const DRAW_ALL_BELOW = 100;

/** Rows under headings, as a table to assistive technology; virtual where there are many. */
export function Table<Row>(props: Props<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf,
    empty,
    height,
    total = rows.length,
    onNeed,
    tall = false,
    narrow = false,
  } = props;
  const rowHeight = tall ? TALL_ROW : ROW;
  // Kept as state: the rows in sight can only be told once the box is there.
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const virtual = height != null && total > DRAW_ALL_BELOW;
  const tracks = columns.map((column) => column.width ?? "minmax(0, 1fr)").join(" ");
  const style = { "--tracks": tracks } as React.CSSProperties;
  if (total === 0) return <div className={styles.none}>{empty ?? "Nothing."}</div>;
  const line = (row: Row | undefined, index: number, top?: number) => (
    <div
      key={row === undefined ? `at ${index}` : keyOf(row, index)}
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={top === undefined ? undefined : { position: "absolute", top, left: 0, right: 0, height: rowHeight }}
    >
      {columns.map((column) => (
        <div key={column.key} role="cell" data-align={column.align} className={styles.cell}>
          {row === undefined ? <span className={styles.wait} /> : column.cell(row, index)}
        </div>
      ))}
    </div>
  );
  return (
    <div
      ref={setBox}
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      tabIndex={height != null ? 0 : undefined}
      className={styles.table}
      data-narrow={narrow}
      style={{ ...style, maxHeight: height }}
    >
      <div role="rowgroup" className={styles.heads}>
        <div role="row" aria-rowindex={1} className={styles.row}>
          {columns.map((column) => (
            <div key={column.key} role="columnheader" data-align={column.align} className={styles.cell}>
              {column.title}
            </div>
          ))}
        </div>
      </div>
      {virtual ? (
        <Window box={box} rowHeight={rowHeight} total={total} rows={rows} line={line} onNeed={onNeed} />
      ) : (
        <div role="rowgroup">{rows.map((row, index) => line(row, index))}</div>
      )}
    </div>
  );
}

interface WindowProps<Row> {
  box: HTMLDivElement | null;
  rowHeight: number;
  total: number;
  rows: Row[];
  line: (row: Row | undefined, index: number, top: number) => React.ReactNode;
  onNeed?: (first: number, last: number) => void;
}

function Window<Row>({ box, rowHeight, total, rows, line, onNeed }: WindowProps<Row>) {
  const window = useVirtualizer({
    count: total,
    getScrollElement: () => box,
    estimateSize: () => rowHeight,
    overscan: 12,
    onChange: (instance) => {
      const items = instance.getVirtualItems();
      const first = items[0];
      const last = items.at(-1);
      if (first && last) onNeed?.(first.index, last.index);
    },
  });
  return (
    <div role="rowgroup" style={{ position: "relative", height: window.getTotalSize() }}>
      {window.getVirtualItems().map((item) => line(rows[item.index], item.index, item.start))}
    </div>
  );
}
