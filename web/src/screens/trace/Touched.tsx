import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { paths, shortRun } from "../../model/nodes";
import { millis } from "../../model/times";
import { StateBadge, Tag } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Table } from "../../ui/Table";
import { Duration, Time } from "../../ui/Time";
import styles from "./trace.module.css";

const JOINED: Record<Schemas["JoinedBy"], string> = {
  trace: "it names the trace",
  attribute: "spans name it",
  name: "a guess, by name and time",
};

/** The runs, jobs and datasets that a trace touched. */
export function Touched({ trace }: { trace: Schemas["Trace"] }) {
  return (
    <>
      <Section
        title="Runs"
        note={trace.runsComplete ? undefined : "more events lie around this trace than were looked through"}
        flush
      >
        <Table
          label="Runs of the trace"
          rows={trace.runs}
          keyOf={(run) => `${run.id} ${run.job.namespace} ${run.job.name}`}
          empty="No run names this trace, and none of its spans names a run (attribute openlineage.run_id)."
          height={320}
          columns={[
            {
              key: "job",
              title: "Job",
              width: "minmax(160px, 2fr)",
              cell: (run) => <NodeName kind="job" of={run.job} />,
            },
            {
              key: "run",
              title: "Run",
              width: "96px",
              cell: (run) => <Link href={paths.run(run.id)}>{shortRun(run.id)}</Link>,
            },
            { key: "state", title: "State", width: "104px", cell: (run) => <StateBadge state={run.state} /> },
            { key: "at", title: "Started", width: "128px", cell: (run) => <Time at={run.startedAt} /> },
            {
              key: "took",
              title: "Duration",
              align: "right",
              width: "88px",
              cell: (run) => <Duration ms={run.endedAt ? millis(run.endedAt) - millis(run.startedAt) : null} />,
            },
            { key: "by", title: "Because", width: "minmax(120px, 1fr)", cell: (run) => JOINED[run.joinedBy] },
          ]}
        />
      </Section>
      <Columns>
        <Section title="Datasets" note={trace.datasets.length || undefined}>
          <ul className={styles.names}>
            {trace.datasets.map((one) => (
              <li key={`${one.namespace} ${one.name}`}>
                <NodeName kind="dataset" of={one} full />
                <span>
                  {one.as.map((side) => (
                    <Tag key={side}>{side === "input" ? "read" : "written"}</Tag>
                  ))}
                </span>
              </li>
            ))}
            {trace.datasets.length === 0 && <li className={styles.none}>None.</li>}
          </ul>
        </Section>
        <Section title="Jobs" note={trace.jobs.length || undefined}>
          <ul className={styles.names}>
            {trace.jobs.map((one) => (
              <li key={`${one.namespace} ${one.name}`}>
                <NodeName kind="job" of={one} full />
              </li>
            ))}
            {trace.jobs.length === 0 && <li className={styles.none}>None.</li>}
          </ul>
        </Section>
      </Columns>
    </>
  );
}
