import { Link, useLocation } from "wouter";
import { query, type Schemas } from "../../api/client";
import { useSegments } from "../../model/addresses";
import { paths, shortName, shortRun } from "../../model/nodes";
import { bytesText, countText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { NodeName } from "../../ui/NodeName";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { Time } from "../../ui/Time";
import styles from "./comparison.module.css";
import { DatasetDifferences } from "./DatasetDifferences";
import { isSame, measured } from "./differences";
import { FacetDifferences } from "./FacetDifferences";
import { RunPicker } from "./RunPicker";
import { TraceDifferences } from "./TraceDifferences";

type Comparison = Schemas["RunComparison"];

export default function RunComparison() {
  const [, a = "", , b = ""] = useSegments();
  const [, navigate] = useLocation();
  const answer = query.useQuery("get", "/api/v1/runs/{run_id}/compare/{other_id}", {
    params: { path: { run_id: a, other_id: b } },
  });
  const found = answer.data;
  const go = (first: string, second: string) => navigate(paths.compareRuns(first, second));
  return (
    <Screen
      title="Two runs"
      heading={found?.sameJob ? `Two runs of ${shortName(found.a.job.name)}` : "Two runs"}
      over={found?.sameJob ? <NodeName kind="job" of={found.a.job} /> : "Comparison"}
      actions={<Button onClick={() => go(b, a)}>Swap</Button>}
    >
      <div className={styles.pickers}>
        <RunPicker label="First run" id={a} job={found?.a.job} onPick={(id) => go(id, b)} />
        <RunPicker label="Second run" id={b} job={found?.b.job} onPick={(id) => go(a, id)} />
      </div>
      <Answer of={answer} label="Comparing">
        {(comparison) => <Whole found={comparison} a={a} b={b} />}
      </Answer>
    </Screen>
  );
}

function Whole({ found, a, b }: { found: Comparison; a: string; b: string }) {
  return (
    <>
      <Section title="In figures" note={found.sameJob ? undefined : "runs of different jobs"} flush>
        <Measures found={found} />
      </Section>
      {isSame(found) && (
        <Section title="What differs">
          <Empty>Nothing but the times: state, datasets, code and facets are the same.</Empty>
        </Section>
      )}
      <DatasetDifferences title="Inputs" sides={found.inputs} />
      <DatasetDifferences title="Outputs" sides={found.outputs} />
      <Sql sql={found.sql} />
      <FacetDifferences title="Code" facets={found.code} />
      <FacetDifferences title="Facets of the runs" facets={found.runFacets} />
      <FacetDifferences title="Facets of the job" facets={found.jobFacets} />
      <TraceDifferences a={a} b={b} />
    </>
  );
}

function Measures({ found }: { found: Comparison }) {
  const { volume } = found;
  const lines = [
    { title: "Duration", ...measured(found.durationMs, durationText) },
    { title: "Rows read", ...measured(volume.rowsRead, countText) },
    { title: "Rows written", ...measured(volume.rowsWritten, countText) },
    { title: "Read", ...measured(volume.bytesRead, bytesText) },
    { title: "Written", ...measured(volume.bytesWritten, bytesText) },
  ].filter((line) => line.a !== "–" || line.b !== "–");
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Figures of both runs">
      <table className={styles.measures}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Figure</span>
            </th>
            <th scope="col">
              First: <Link href={paths.run(found.a.id)}>{shortRun(found.a.id)}</Link>
            </th>
            <th scope="col">
              Second: <Link href={paths.run(found.b.id)}>{shortRun(found.b.id)}</Link>
            </th>
            <th scope="col">Difference</th>
            <th aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {!found.sameJob && (
            <tr>
              <th scope="row">Job</th>
              <td>
                <NodeName kind="job" of={found.a.job} />
              </td>
              <td>
                <NodeName kind="job" of={found.b.job} />
              </td>
              <td>other</td>
              <td />
            </tr>
          )}
          <tr>
            <th scope="row">State</th>
            <td>
              <StateBadge state={found.state.a} />
            </td>
            <td>
              <StateBadge state={found.state.b} />
            </td>
            <td>{found.state.equal ? "same" : "other"}</td>
            <td />
          </tr>
          <tr>
            <th scope="row">Started</th>
            <td>
              <Time at={found.a.startedAt} />
            </td>
            <td>
              <Time at={found.b.startedAt} />
            </td>
            <td />
            <td />
          </tr>
          {lines.map((line) => (
            <tr key={line.title}>
              <th scope="row">{line.title}</th>
              <td>{line.a}</td>
              <td>{line.b}</td>
              <td>{line.change}</td>
              <td aria-hidden="true">
                <Lean of={line.lean} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** More to the right, less to the left. */
function Lean({ of }: { of: number }) {
  const width = `${Math.abs(of) * 50}%`;
  return (
    <span className={styles.lean}>
      {of !== 0 && <i style={of > 0 ? { left: "50%", width } : { right: "50%", width }} />}
    </span>
  );
}

function Sql({ sql }: { sql: Comparison["sql"] }) {
  if (sql.equal) return null;
  return (
    <Section title="SQL">
      {sql.diff ? (
        <Code text={sql.diff.join("\n")} language="diff" label="SQL, as a diff" maxHeight={520} />
      ) : (
        <Code
          text={sql.a ?? sql.b ?? ""}
          language="sql"
          label={sql.a === null ? "Only the second run has SQL" : "Only the first run has SQL"}
        />
      )}
    </Section>
  );
}
