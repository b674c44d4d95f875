import { Link } from "wouter";
import { paths } from "../../model/nodes";
import { bytesText, countText } from "../../model/numbers";
import { StateBadge } from "../../ui/Badge";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { Duration, useNow } from "../../ui/Time";
import type { Stage } from "../pipelines/offers";
import { ProgressBar } from "../pipelines/ProgressBar";
import { durationOf } from "../pipelines/progress";
import styles from "./PipelineRun.module.css";

export function Stages({ stages, after }: { stages: Stage[]; after: Map<string, string[]> }) {
  const columns: Column<Stage>[] = [
    {
      key: "name",
      title: "Stage",
      width: "minmax(140px, 1.6fr)",
      cell: (stage) => {
        const waited = after.get(stage.name) ?? [];
        return (
          <span className={styles.stage} title={waited.length > 0 ? `after ${waited.join(", ")}` : undefined}>
            {stage.run_id ? <Link href={paths.run(stage.run_id)}>{stage.name}</Link> : stage.name}{" "}
            <span className={styles.kind}>
              {stage.kind}
              {waited.length > 0 && ` after ${waited.join(", ")}`}
            </span>
          </span>
        );
      },
    },
    { key: "state", title: "State", width: "100px", cell: (stage) => <StateBadge state={stage.state} /> },
    {
      key: "progress",
      title: "Progress",
      width: "minmax(110px, 1fr)",
      cell: (stage) => <ProgressBar label={`Progress of ${stage.name}`} percent={stage.percent} state={stage.state} />,
    },
    {
      key: "rows",
      title: "Rows",
      width: "84px",
      align: "right",
      cell: (stage) => (stage.rows === null ? "–" : countText(stage.rows)),
    },
    {
      key: "rejected",
      title: "Quarantined",
      width: "88px",
      align: "right",
      cell: (stage) => (
        <span className={stage.rejected > 0 ? styles.some : undefined}>{countText(stage.rejected)}</span>
      ),
    },
    {
      key: "bytes",
      title: "Size",
      width: "72px",
      align: "right",
      cell: (stage) => (stage.bytes === null ? "–" : bytesText(stage.bytes)),
    },
    { key: "took", title: "Took", width: "84px", align: "right", cell: (stage) => <Took of={stage} /> },
  ];
  const failed = stages.filter((stage) => stage.error !== "");
  return (
    <>
      <Table
        label="Stages"
        columns={columns}
        rows={stages}
        keyOf={(stage) => stage.name}
        empty="It has no stages yet."
      />
      {failed.map((stage) => (
        <div key={stage.name} className={styles.stageError}>
          <p>{stage.name}</p>
          <pre tabIndex={0} aria-label={`Error of ${stage.name}`}>
            {stage.error}
          </pre>
        </div>
      ))}
    </>
  );
}

function Took({ of }: { of: Stage }) {
  return <Duration ms={durationOf(of, useNow())} />;
}

/** What differs in schemas from the last run, where anything does. */
export function Changes({ stages }: { stages: Stage[] }) {
  const changed = stages.filter((stage) => stage.changes.length > 0);
  if (changed.length === 0) return null;
  return (
    <Section title="Schema changes" note="against the last known schema">
      <ul className={styles.changes}>
        {changed.flatMap((stage) =>
          stage.changes.map((change) => (
            <li key={`${stage.name} ${change}`}>
              <b>{stage.name}</b> {change}
            </li>
          )),
        )}
      </ul>
    </Section>
  );
}
