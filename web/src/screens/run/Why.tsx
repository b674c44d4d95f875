import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { manyText, percentText } from "../../model/numbers";
import type { Tone } from "../../model/states";
import { durationText } from "../../model/times";
import { Badge, StateBadge } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { Time } from "../../ui/Time";
import { Missing } from "../trace/Missing";
import { amountText, shares } from "./figures";
import styles from "./run.module.css";

const TONES: Record<Schemas["Verdict"], Tone> = {
  failed: "bad",
  late: "warn",
  running: "busy",
  as_usual: "ok",
  unknown: "idle",
};

interface Props {
  id: string;
  live: boolean;
}

/** Why a run was late or failed: the verdict, then the causes, the likeliest first, each with its evidence. */
export function Why({ id, live }: Props) {
  const answer = query.useQuery(
    "get",
    "/api/v1/runs/{run_id}/why",
    { params: { path: { run_id: id } } },
    { refetchInterval: live ? 10_000 : false },
  );
  const found = answer.data;
  // The only cause of what nobody can tell says the same again.
  const causes = found?.causes.filter((cause) => cause.sentence !== found.sentence) ?? [];
  return (
    <Section title="Why" note={found && lookedAt(found)}>
      {found ? (
        <div className={styles.why}>
          <p className={styles.verdict}>
            <Badge tone={TONES[found.verdict]}>{found.verdict.replace("_", " ")}</Badge> {found.sentence}
          </p>
          {causes.length > 0 && (
            <ol className={styles.causes} aria-label="Causes, the likeliest first">
              {causes.map((cause, at) => (
                <li key={at}>
                  <CauseView cause={cause} run={id} />
                </li>
              ))}
            </ol>
          )}
        </div>
      ) : answer.error ? (
        <Missing error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Comparing with earlier runs" />
      )}
    </Section>
  );
}

function lookedAt(found: Schemas["Explanation"]): string {
  const words = [`compared with ${manyText(found.earlierRuns, "earlier run")}`];
  if (found.jobsLookedAt > 1) words.push(manyText(found.jobsLookedAt, "job") + " looked at");
  if (found.truncated) words.push("there are more upstream");
  if (found.telemetry.state === "used" && found.telemetry.runs > 0)
    words.push(`spans of ${manyText(found.telemetry.runs, "run")}`);
  if (found.telemetry.state === "unavailable") words.push("spans could not be read");
  return words.join(", ");
}

function CauseView({ cause, run }: { cause: Schemas["Cause"]; run: string }) {
  const { evidence } = cause;
  // From the run that was asked about to the one where it began, which the spans are of.
  const owner = evidence.runs.at(-1)?.id ?? run;
  const others = evidence.runs.filter((one) => one.id !== run);
  return (
    <article className={styles.cause}>
      <header>
        <span className={styles.kind}>{cause.kind.replaceAll("_", " ")}</span>
        <span className={styles.score} title={`Score ${cause.score}`}>
          <meter min={0} max={1} value={cause.score} aria-label="Score" className="visually-hidden" />
          <span className={styles.scoreBar} aria-hidden="true">
            <i style={{ width: `${Math.round(cause.score * 100)}%` }} />
          </span>
          {percentText(cause.score)}
        </span>
        {cause.delaySeconds !== null && cause.delaySeconds > 0 && (
          <span className={styles.delay}>{durationText(cause.delaySeconds * 1000)} of the delay</span>
        )}
      </header>
      <p>{cause.sentence}</p>
      {evidence.figures.length > 0 && <FigureTable figures={evidence.figures} />}
      {(others.length > 0 || evidence.datasets.length > 0 || evidence.spans.length > 0) && (
        <ul className={styles.evidence} aria-label="Evidence">
          {others.map((one) => (
            <li key={one.id}>
              <Link href={paths.run(one.id)}>run of {one.job.name}</Link> <StateBadge state={one.state} />{" "}
              <Time at={one.startedAt} />
            </li>
          ))}
          {evidence.datasets.map((one) => (
            <li key={`${one.namespace} ${one.name}`}>
              <NodeName kind="dataset" of={one} />
            </li>
          ))}
          {evidence.spans.map((span) => (
            <li key={span}>
              <Link href={`${paths.run(owner)}?span=${span}`}>
                span <code>{span}</code>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {evidence.messages
        .filter((message) => !cause.sentence.includes(message))
        .map((message, at) => (
          <pre key={at} className={styles.message} tabIndex={0}>
            {message}
          </pre>
        ))}
      {cause.because.length > 0 && (
        <div className={styles.because}>
          <h4>Because</h4>
          {cause.because.map((one, at) => (
            <CauseView key={at} cause={one} run={run} />
          ))}
        </div>
      )}
    </article>
  );
}

function FigureTable({ figures }: { figures: Schemas["Figure"][] }) {
  return (
    <table className={styles.figures}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Figure</span>
          </th>
          <th scope="col">usual</th>
          <th scope="col">now</th>
          <th aria-hidden="true" />
        </tr>
      </thead>
      <tbody>
        {figures.map((figure, at) => {
          const bars = shares(figure);
          return (
            <tr key={at}>
              <th scope="row">{figure.name}</th>
              <td>{amountText(figure.usual, figure.unit)}</td>
              <td>{amountText(figure.now, figure.unit)}</td>
              <td aria-hidden="true">
                {bars && (
                  <span className={styles.pair}>
                    <i style={{ width: `${bars.usual}%` }} />
                    <i style={{ width: `${bars.now}%` }} data-now="" />
                  </span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
