import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { type Name, paths } from "../../model/nodes";
import { StateBadge, Tag } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { RunTimelineBars } from "../../ui/RunTimelineBars";
import { type Column, Table } from "../../ui/Table";
import { Duration, Time } from "../../ui/Time";
import styles from "./jobs.module.css";
import { useNarrow } from "./useNarrow";

export interface JobRow {
  of: Name;
  /** Nothing until it is read. */
  job: Schemas["Job"] | undefined;
}

interface Props {
  rows: JobRow[];
  total: number;
  onNeed?: (first: number, last: number) => void;
  empty: string;
}

export function JobTable({ rows, total, onNeed, empty }: Props) {
  const narrow = useNarrow();
  return (
    <Table<JobRow>
      label="Jobs"
      rows={rows}
      total={total}
      onNeed={onNeed}
      height="calc(100vh - 220px)"
      keyOf={({ of }) => `${of.namespace}\n${of.name}`}
      empty={empty}
      columns={narrow ? COLUMNS.filter((column) => NARROW.includes(column.key)) : COLUMNS}
    />
  );
}

const NARROW = ["job", "state", "runs", "at"];

const COLUMNS: Column<JobRow>[] = [
  {
    key: "job",
    title: "Job",
    width: "minmax(150px, 3fr)",
    cell: ({ of }) => (
      <span className={styles.name}>
        <NodeName kind="job" of={of} full />
      </span>
    ),
  },
  {
    key: "state",
    title: "Last run",
    width: "104px",
    cell: ({ job }) => job && <StateBadge state={job.latestRun?.state} />,
  },
  {
    key: "runs",
    title: "Last ten",
    width: "84px",
    cell: ({ job }) => job && <RunTimelineBars runs={job.latestRuns} />,
  },
  {
    key: "took",
    title: "Took",
    align: "right",
    width: "88px",
    cell: ({ job }) => job && <Duration ms={job.latestRun?.interval?.durationMs ?? job.latestRun?.durationMs} />,
  },
  {
    key: "at",
    title: "Started",
    width: "92px",
    cell: ({ job }) =>
      job?.latestRun ? (
        <Link href={paths.run(job.latestRun.id)}>
          <Time at={job.latestRun.startedAt ?? job.latestRun.createdAt} as="ago" />
        </Link>
      ) : (
        "–"
      ),
  },
  {
    key: "tags",
    title: "Owners and tags",
    width: "minmax(96px, 1fr)",
    cell: ({ job }) =>
      job && (
        <span className={styles.tags}>
          {job.owners.map((owner) => (
            <span key={owner.name}>{owner.name}</span>
          ))}
          {job.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </span>
      ),
  },
];
