import { percentText, shortText } from "../../model/numbers";
import { type Column, Table } from "../../ui/Table";
import { greatest, QuantileBar, ShareBar } from "./Bars";
import type { Operation } from "./operations";
import styles from "./telemetry.module.css";
import { NANOSECONDS, rateText } from "./units";

const NS = 1e-6;

interface Props {
  operations: Operation[];
  /** Without the service, where all are of one. */
  ofOne?: boolean;
  onChoose: (operation: Operation) => void;
}

/** Operations with how often, how long and how well. */
export function OperationTable({ operations, ofOne = false, onChoose }: Props) {
  return (
    <Table
      label="Operations"
      columns={columnsOf(operations, ofOne, onChoose)}
      rows={operations}
      keyOf={(row) => JSON.stringify([row.service, row.operation])}
      height={520}
      empty="No span in this time."
    />
  );
}

function columnsOf(rows: Operation[], ofOne: boolean, onChoose: Props["onChoose"]): Column<Operation>[] {
  const most = greatest(rows.map((row) => row.durationNs));
  const duration = (name: "p50" | "p95" | "p99" | "max"): Column<Operation> => ({
    key: name,
    title: name === "max" ? "longest" : name,
    align: "right",
    width: "88px",
    cell: (row) => NANOSECONDS.format(row.durationNs[name]),
  });
  const service: Column<Operation> = {
    key: "service",
    title: "Service",
    width: "minmax(80px, 1fr)",
    cell: (row) => <span className={`${styles.quiet} ${styles.line}`}>{row.service}</span>,
  };
  return [
    {
      key: "operation",
      title: "Operation",
      width: "minmax(140px, 2.4fr)",
      cell: (row) => (
        <button type="button" className={styles.pick} title={row.operation} onClick={() => onChoose(row)}>
          {row.operation}
        </button>
      ),
    },
    ...(ofOne ? [] : [service]),
    { key: "spans", title: "Spans", align: "right", width: "64px", cell: (row) => shortText(row.spans) },
    {
      key: "rate",
      title: "Rate",
      align: "right",
      width: "76px",
      cell: (row) => (row.spansPerSecond === null ? "–" : rateText(row.spansPerSecond)),
    },
    {
      key: "errors",
      title: "Errors",
      align: "right",
      width: "108px",
      cell: (row) => (
        <ShareBar share={row.errorRate} tone="bad">
          {percentText(row.errorRate)}
        </ShareBar>
      ),
    },
    {
      key: "bar",
      title: "p50 · p95 · p99",
      width: "minmax(80px, 1fr)",
      cell: (row) => <QuantileBar of={row.durationNs} most={most} unitMs={NS} />,
    },
    duration("p50"),
    duration("p95"),
    duration("p99"),
    duration("max"),
  ];
}
