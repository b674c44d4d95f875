import type { Schemas } from "../../api/client";
import { bytesText, countText, shortText } from "../../model/numbers";
import { Badge } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { rowsOfRun, type RunSide } from "./volume";

interface Props {
  run: Schemas["RunAnswer"];
}

/** What a run read and wrote, with row counts and what checks said. Nothing, if it names no dataset. */
export function InputsOutputs({ run }: Props) {
  const rows = rowsOfRun(run);
  if (rows.length === 0) return null;
  return (
    <Section title="Inputs and outputs" flush>
      <Table<RunSide>
        label="Inputs and outputs"
        rows={rows}
        keyOf={(row) => `${row.side} ${row.of.namespace} ${row.of.name}`}
        height={420}
        columns={told(rows, [
          {
            key: "side",
            title: <span className="visually-hidden">Side</span>,
            width: "64px",
            cell: (row) => (row.side === "input" ? "reads" : "writes"),
          },
          {
            key: "dataset",
            title: "Dataset",
            width: "minmax(180px, 3fr)",
            cell: (row) => <NodeName kind="dataset" of={row.of} full />,
          },
          { key: "rows", title: "Rows", align: "right", width: "96px", cell: (row) => <Count value={row.rows} /> },
          {
            key: "bytes",
            title: "Size",
            align: "right",
            width: "88px",
            cell: (row) => (row.bytes == null ? "–" : bytesText(row.bytes)),
          },
          { key: "files", title: "Files", align: "right", width: "64px", cell: (row) => <Count value={row.files} /> },
          { key: "checks", title: "Checks", width: "minmax(96px, 1fr)", cell: (row) => <Checks row={row} /> },
          {
            key: "version",
            title: "Version",
            width: "88px",
            cell: (row) => (row.version ? <code title={row.version}>{row.version.slice(0, 8)}</code> : "–"),
          },
        ])}
      />
    </Section>
  );
}

/** Without the columns that say nothing of any dataset. */
function told(rows: RunSide[], columns: Column<RunSide>[]): Column<RunSide>[] {
  const isTold: Record<string, boolean> = {
    bytes: rows.some((row) => row.bytes != null),
    files: rows.some((row) => row.files !== null),
    checks: rows.some((row) => row.passed + row.failed.length > 0),
    version: rows.some((row) => row.version),
  };
  return columns.filter((column) => isTold[column.key] ?? true);
}

function Count({ value }: { value: number | null }) {
  return value === null ? <>–</> : <span title={countText(value)}>{shortText(value)}</span>;
}

function Checks({ row }: { row: RunSide }) {
  if (row.passed + row.failed.length === 0) return <>–</>;
  return row.failed.length > 0 ? (
    <Badge tone="bad" title={row.failed.join("\n")}>
      {row.failed.length} of {row.passed + row.failed.length} failed
    </Badge>
  ) : (
    <Badge tone="ok">{row.passed} passed</Badge>
  );
}
