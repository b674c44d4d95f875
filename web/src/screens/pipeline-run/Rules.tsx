import { countText } from "../../model/numbers";
import { Badge } from "../../ui/Badge";
import { type Column, Table } from "../../ui/Table";
import type { RuleRow } from "../pipelines/progress";
import styles from "./PipelineRun.module.css";

const COLUMNS: Column<RuleRow>[] = [
  {
    key: "passed",
    title: "Result",
    width: "88px",
    cell: (row) => (
      <Badge tone={row.passed ? "ok" : row.severity === "warn" ? "warn" : "bad"}>
        {row.passed ? "passed" : "broken"}
      </Badge>
    ),
  },
  { key: "stage", title: "Stage", width: "minmax(100px, 1fr)", cell: (row) => row.stage },
  { key: "rule", title: "Rule", width: "minmax(140px, 1.5fr)", cell: (row) => <code>{row.name}</code> },
  { key: "severity", title: "If broken", width: "92px", cell: (row) => row.severity },
  {
    key: "says",
    title: "Says",
    width: "minmax(140px, 2fr)",
    cell: (row) => (
      <span className={styles.says} title={row.says}>
        {row.says}
      </span>
    ),
  },
  {
    key: "rows",
    title: "Rows",
    width: "80px",
    align: "right",
    cell: (row) => (row.broken === null ? "–" : countText(row.broken)),
  },
];

export function Rules({ rows }: { rows: RuleRow[] }) {
  return (
    <Table
      label="Quality"
      columns={COLUMNS}
      rows={rows}
      keyOf={(row, at) => `${at} ${row.stage} ${row.name}`}
      height={520}
    />
  );
}
