import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { type Name, paths, shortRun } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { StateBadge, Tag } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { Time } from "../../ui/Time";
import { SourceLink } from "./SourceLink";
import { sourceOf } from "./source";
import { changesOf } from "./versions";
import styles from "./job.module.css";

type Version = Schemas["JobVersion"];

/** Each set of inputs, outputs and code that the job had, the latest first, with what changed. */
export function VersionsOfJob({ job, current }: { job: Name; current: string | null }) {
  const answer = query.useQuery("get", "/api/v1/namespaces/{namespace}/jobs/{job}/versions", {
    params: { path: { namespace: job.namespace, job: job.name }, query: { limit: 200 } },
  });
  return (
    <Section title="Versions" note={answer.data && manyText(answer.data.totalCount, "version")} flush>
      <Answer of={answer}>
        {({ versions }) =>
          versions.length === 0 ? (
            <Empty>No version: a job gets one with its first inputs or outputs.</Empty>
          ) : (
            <ol className={styles.versions}>
              {versions.map((version, at) => (
                <li key={version.version}>
                  <VersionView version={version} before={versions[at + 1]} isCurrent={version.version === current} />
                </li>
              ))}
            </ol>
          )
        }
      </Answer>
    </Section>
  );
}

function VersionView({ version, before, isCurrent }: { version: Version; before?: Version; isCurrent: boolean }) {
  const source = sourceOf({}, version.location);
  const changes = before ? changesOf(before, version) : [];
  return (
    <article className={styles.version}>
      <header>
        <code title={version.version}>{version.version.slice(0, 8)}</code>
        {isCurrent && <Tag>current</Tag>}
        <span className={styles.hint}>
          since <Time at={version.createdAt} />
        </span>
        {version.latestRun && (
          <span>
            last run <Link href={paths.run(version.latestRun.id)}>{shortRun(version.latestRun.id)}</Link>{" "}
            <StateBadge state={version.latestRun.state} />
          </span>
        )}
      </header>
      <p className={styles.hint}>
        {manyText(version.inputs.length, "input")}, {manyText(version.outputs.length, "output")}
        {source && (
          <>
            {", "}
            <SourceLink source={source} />
          </>
        )}
      </p>
      {changes.length > 0 && (
        <ul className={styles.changes}>
          {changes.map((change) => (
            <li key={`${change.kind} ${change.side} ${change.of.namespace} ${change.of.name}`} data-kind={change.kind}>
              <span>
                {change.kind === "added" ? "+" : "−"} {change.kind} {change.side}
              </span>
              <NodeName kind="dataset" of={change.of} />
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}
