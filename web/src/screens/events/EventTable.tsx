import { Link } from "wouter";
import { type Name, paths, shortName } from "../../model/nodes";
import { typeText, toneOf } from "../../model/states";
import { Badge } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Empty } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { useNarrow } from "../jobs/useNarrow";
import { type EventRow, producerText } from "./rows";
import styles from "./Events.module.css";

const KIND_WORDS = { RunEvent: "run", JobEvent: "job", DatasetEvent: "dataset" };

const COLUMNS: Column<EventRow>[] = [
  {
    key: "time",
    title: "Happened",
    width: "176px",
    cell: (row) => (
      <Link href={paths.event(row.id)}>
        <Time at={row.at} as="second" />
        <span className="visually-hidden">, open the event</span>
      </Link>
    ),
  },
  {
    key: "type",
    title: "Type",
    width: "96px",
    cell: typeOf,
  },
  {
    key: "about",
    title: "Job or dataset",
    width: "minmax(180px, 1.4fr)",
    cell: about,
  },
  {
    key: "run",
    title: "Run",
    width: "88px",
    cell: (row) =>
      row.run ? (
        <Link className="mono" href={paths.run(row.run)} title={row.run}>
          {row.run.slice(0, 8)}
        </Link>
      ) : (
        "–"
      ),
  },
  {
    key: "data",
    title: "Reads → writes",
    width: "minmax(140px, 1.2fr)",
    cell: (row) =>
      row.inputCount + row.outputCount > 0 ? (
        <span className={styles.data} title={dataTitle(row)}>
          {listed(row.inputs, row.inputCount)} → {listed(row.outputs, row.outputCount)}
        </span>
      ) : (
        <span className={styles.quiet}>–</span>
      ),
  },
  {
    key: "producer",
    title: "Producer",
    width: "minmax(120px, 1.2fr)",
    cell: (row) => (
      <span className={styles.data} title={row.producer ?? undefined}>
        {row.producer ? producerText(row.producer) : "–"}
      </span>
    ),
  },
];

/** On a phone what happened comes first, and when under it. */
const NARROW: Column<EventRow>[] = [
  {
    key: "what",
    title: "Event",
    width: "minmax(0, 1fr)",
    cell: (row) => (
      <span className={styles.what}>
        {about(row)}
        <span className={styles.when}>
          <Link href={paths.event(row.id)}>
            <Time at={row.at} as="second" />
            <span className="visually-hidden">, open the event</span>
          </Link>
        </span>
      </span>
    ),
  },
  { key: "type", title: "Type", width: "96px", cell: typeOf },
];

function typeOf(row: EventRow) {
  return row.kind === "RunEvent" ? (
    <Badge tone={toneOf(row.type)}>{typeText(row.type)}</Badge>
  ) : (
    <Badge>{KIND_WORDS[row.kind]}</Badge>
  );
}

function about(row: EventRow) {
  if (row.job) return <NodeName kind="job" of={row.job} />;
  return row.dataset ? <NodeName kind="dataset" of={row.dataset} /> : "–";
}

function listed(names: Name[], count: number): string {
  const first = names[0];
  if (!first) return "–";
  return count > 1 ? `${shortName(first.name)} +${count - 1}` : shortName(first.name);
}

function dataTitle(row: EventRow): string {
  const lines = (title: string, names: Name[], count: number) =>
    count === 0
      ? []
      : [
          title,
          ...names.map((one) => `  ${one.namespace} ${one.name}`),
          ...(count > names.length ? [`  and ${count - names.length} more`] : []),
        ];
  return [...lines("reads", row.inputs, row.inputCount), ...lines("writes", row.outputs, row.outputCount)].join("\n");
}

interface Props {
  rows: EventRow[];
  hasMore: boolean;
  onMore: () => void;
  isFiltering: boolean;
}

export function EventTable({ rows, hasMore, onMore, isFiltering }: Props) {
  const isNarrow = useNarrow();
  const total = rows.length + (hasMore ? 1 : 0);
  return (
    <Table
      label="Events"
      columns={isNarrow ? NARROW : COLUMNS}
      rows={rows}
      keyOf={(row) => row.id}
      height="calc(100dvh - 240px)"
      tall={isNarrow}
      narrow={isNarrow}
      total={total}
      onNeed={(_, last) => hasMore && last >= rows.length - 1 && onMore()}
      empty={
        isFiltering ? (
          <Empty>No event meets these conditions.</Empty>
        ) : (
          <Empty action={<Link href={paths.home()}>How to send events</Link>}>
            No event has arrived yet. The first one shows here at once.
          </Empty>
        )
      }
    />
  );
}
