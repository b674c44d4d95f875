import { Link } from "wouter";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { asJson } from "../../api/json";
import { type Name, nodeId, paths } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { durationText, millis } from "../../model/times";
import { Badge, StateBadge } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration, Time } from "../../ui/Time";
import { pathOf } from "./dataset-path";
import styles from "./dataset.module.css";
import { type JobNode, neighboursOf } from "./neighbours";

type Run = Schemas["DatasetTelemetry"]["runs"][number];

const JOB_COLUMNS: Column<JobNode>[] = [
  { key: "job", title: "Job", width: "minmax(140px, 2fr)", cell: ({ data }) => <NodeName kind="job" of={data} /> },
  {
    key: "state",
    title: "Last run",
    width: "minmax(100px, 1fr)",
    cell: ({ data: { latestRun } }) =>
      latestRun ? (
        <Link href={paths.run(latestRun.id)}>
          <StateBadge state={latestRun.state} />
        </Link>
      ) : (
        <StateBadge state={null} />
      ),
  },
  {
    key: "at",
    title: "When",
    align: "right",
    width: "90px",
    cell: ({ data }) => <Time at={data.latestRun?.updatedAt} as="ago" />,
  },
];

const RUN_COLUMNS: Column<Run>[] = [
  {
    key: "state",
    title: "Run",
    width: "110px",
    cell: (run) => (
      <Link href={paths.run(run.id)} title={run.id}>
        <StateBadge state={run.state} />
      </Link>
    ),
  },
  { key: "job", title: "Job", width: "minmax(140px, 2fr)", cell: (run) => <NodeName kind="job" of={run.job} /> },
  {
    key: "as",
    title: "Did",
    width: "110px",
    cell: (run) => run.as.map((side) => (side === "output" ? "wrote" : "read")).join(" and "),
  },
  { key: "trace", title: "Trace", width: "minmax(160px, 1.5fr)", cell: (run) => <Trace of={run} /> },
  { key: "at", title: "Started", align: "right", width: "130px", cell: (run) => <Time at={run.startedAt} /> },
  {
    key: "took",
    title: "Took",
    align: "right",
    width: "90px",
    cell: (run) => <Duration ms={run.endedAt === null ? null : millis(run.endedAt) - millis(run.startedAt)} />,
  },
];

function Trace({ of }: { of: Run }) {
  if (!of.traceId) return <span className={styles.quiet}>none</span>;
  const { trace } = of;
  return (
    <span className={styles.trace}>
      <Link href={paths.trace(of.traceId)}>
        {trace ? `${manyText(trace.spanCount, "span")}, ${durationText(trace.durationNs / 1e6)}` : "no spans here"}
      </Link>
      {trace && trace.errorCount > 0 && <Badge tone="bad">{manyText(trace.errorCount, "error")}</Badge>}
      {of.inferred && (
        <span className={styles.quiet} title="Joined by the job's name and the time: a guess">
          guessed
        </span>
      )}
    </span>
  );
}

/** Who writes it, who reads it, and how their last runs went. */
export function RunsTab({ of }: { of: Name }) {
  const graph = query.useQuery(
    "get",
    "/api/v1/lineage",
    { params: { query: { nodeId: nodeId("dataset", of), depth: 1, direction: "both" } } },
    { select: (answer) => asJson(answer) },
  );
  const telemetry = query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/telemetry", {
    params: { path: pathOf(of), query: { limit: 50 } },
  });
  return (
    <>
      <Answer of={graph}>
        {(answer) => {
          const { producers, consumers } = neighboursOf(answer.graph, of);
          return (
            <Columns wide>
              <Jobs title="Produced by" jobs={producers} empty="No job is known to write it at present." />
              <Jobs title="Consumed by" jobs={consumers} empty="No job is known to read it at present." />
            </Columns>
          );
        }}
      </Answer>
      <Section title="Latest runs" note="that wrote or read it, with their traces" flush>
        <Answer of={telemetry}>
          {({ runs }) => (
            <Table
              label="Latest runs"
              columns={RUN_COLUMNS}
              rows={runs}
              keyOf={(run) => `${run.id} ${run.job.namespace} ${run.job.name}`}
              empty="No run has written or read it."
            />
          )}
        </Answer>
      </Section>
    </>
  );
}

function Jobs({ title, jobs, empty }: { title: string; jobs: JobNode[]; empty: string }) {
  return (
    <Section title={title} note={jobs.length > 0 ? manyText(jobs.length, "job") : undefined} flush>
      <Table label={title} columns={JOB_COLUMNS} rows={jobs} keyOf={(job) => job.id} height={360} empty={empty} />
    </Section>
  );
}
