import { useState } from "react";
import { Link } from "wouter";
import { problemOf, query } from "../../api/client";
import { paths, shortRun } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { stateText } from "../../model/states";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Select } from "../../ui/Field";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration, Time, useNow } from "../../ui/Time";
import { Missing } from "./Missing";
import { type Offer, offerOf, type Run } from "./offers";
import { ProgressBar } from "./ProgressBar";
import { durationOf, hasEnded, isoOf, percentOf, rejectedOf } from "./progress";
import { Start } from "./Start";
import styles from "./Pipelines.module.css";

const MOST_RUNS = 200;
const STATES = ["", "RUNNING", "COMPLETE", "FAIL", "ABORT"].map((value) => ({
  value,
  title: value === "" ? "all states" : stateText(value),
}));

export default function Pipelines() {
  const [params, setParams] = useParams();
  const pipeline = params.get("pipeline") ?? "";
  const state = params.get("state") ?? "";
  const [starting, setStarting] = useState<Offer>();
  const offers = query.useQuery("get", "/api/v1/pipeline", {});
  const isMissing = offers.error != null && [404, 501].includes(problemOf(offers.error).code);
  const runs = query.useQuery(
    "get",
    "/api/v1/pipeline/run",
    { params: { query: { limit: MOST_RUNS, pipeline: pipeline || undefined, state: state || undefined } } },
    {
      enabled: !isMissing,
      // Each second while one is at work; else now and then, for those that others start.
      refetchInterval: (asked) => (asked.state.data?.runs.some((run) => !hasEnded(run)) ? 1000 : 15_000),
    },
  );
  const set = (name: string, value: string) => setParams({ [name]: value });
  if (isMissing) {
    return (
      <Screen title="Pipelines">
        <Missing error={offers.error} />
      </Screen>
    );
  }
  const names = [...new Set((offers.data?.pipelines ?? []).map((one: Offer) => one.pipeline ?? one.name))];
  return (
    <Screen title="Pipelines">
      <Section title="Ready to run" note={offers.data && manyText(offers.data.pipelines.length, "definition")} flush>
        <Answer of={offers} label="Reading pipelines">
          {(answer) =>
            answer.pipelines.length === 0 ? (
              <HowToDefine />
            ) : (
              <ul aria-label="Pipelines">
                {answer.pipelines.map((one: Offer) => (
                  <Definition key={one.name} of={one} runs={runs.data?.runs ?? []} onStart={() => setStarting(one)} />
                ))}
              </ul>
            )
          }
        </Answer>
      </Section>
      <Section
        title="Runs"
        note={runs.data && `${countText(runs.data.totalCount)}, newest first`}
        actions={
          (pipeline || state || (runs.data?.totalCount ?? 0) > 0) && (
            <>
              <Select
                label="Pipeline"
                quiet
                choices={[
                  { value: "", title: "all pipelines" },
                  ...names.map((name) => ({ value: name, title: name })),
                ]}
                value={pipeline}
                onChoose={(value) => set("pipeline", value)}
              />
              <Select label="State" quiet choices={STATES} value={state} onChoose={(value) => set("state", value)} />
            </>
          )
        }
        flush
      >
        <Answer of={runs} label="Reading runs">
          {(answer) => (
            <Table
              label="Runs of pipelines"
              columns={COLUMNS}
              rows={answer.runs}
              keyOf={(run) => run.run_id}
              height={560}
              empty={
                <Empty>
                  {pipeline || state
                    ? "No run is like that."
                    : (offers.data?.pipelines.length ?? 0) > 0
                      ? "Nothing has run yet: start a pipeline above."
                      : "Nothing has run yet. What the hub runs is listed here, as it works."}
                </Empty>
              }
            />
          )}
        </Answer>
        {runs.data && runs.data.totalCount > MOST_RUNS && (
          <p className={styles.more}>The newest {MOST_RUNS} are shown.</p>
        )}
      </Section>
      {starting && <Start offer={starting} onClose={() => setStarting(undefined)} />}
    </Screen>
  );
}

const FIRST_STEPS = `mkdir pipelines
lineage-hub pipeline init pipelines/shop.yaml
LINEAGE_HUB_PIPELINE_FOLDER=$PWD/pipelines lineage-hub serve`;

function HowToDefine() {
  return (
    <div className={styles.first}>
      <p>
        The hub runs the definitions of one folder, which the setting <code>pipeline_folder</code> names. An example to
        begin with:
      </p>
      <Code label="A first pipeline" language="bash" text={FIRST_STEPS} />
    </div>
  );
}

function Definition({ of, runs, onStart }: { of: Offer; runs: Run[]; onStart: () => void }) {
  const last = runs.find((run) => offerOf([of], run));
  const names = (of.stages ?? []).map((stage) => stage.name);
  return (
    <li className={styles.definition}>
      <div className={styles.about}>
        <h3>{of.name}</h3>
        {of.description && <p>{of.description}</p>}
        {of.problem ? (
          <p className={styles.problem}>{of.problem}</p>
        ) : (
          <p className={styles.stages} title={names.join("\n")}>
            {names.length > 0 && `${manyText(names.length, "stage")}: ${names.join(", ")}`}
          </p>
        )}
      </div>
      {last && (
        <Link href={paths.pipelineRun(last.run_id)} className={styles.last}>
          <StateBadge state={last.state} /> <Time at={isoOf(last.started_at)} as="ago" />
        </Link>
      )}
      <Button disabled={of.problem !== undefined} onClick={onStart} aria-label={`Start ${of.name}`}>
        Start
      </Button>
    </li>
  );
}

const COLUMNS: Column<Run>[] = [
  { key: "state", title: "State", width: "104px", cell: (run) => <StateBadge state={run.state} /> },
  {
    key: "pipeline",
    title: "Pipeline",
    width: "minmax(120px, 1.5fr)",
    cell: (run) => (
      <Link href={paths.pipelineRun(run.run_id)} title={run.run_id}>
        {run.pipeline} <span className={styles.id}>{shortRun(run.run_id)}</span>
      </Link>
    ),
  },
  {
    key: "progress",
    title: "Stages",
    width: "minmax(120px, 1fr)",
    cell: (run) => <ProgressBar label={`Progress of ${run.pipeline}`} percent={percentOf(run)} state={run.state} />,
  },
  { key: "started", title: "Started", width: "128px", cell: (run) => <Time at={isoOf(run.started_at)} /> },
  {
    key: "rejected",
    title: "Quarantined",
    width: "88px",
    align: "right",
    cell: (run) => countText(rejectedOf(run.stages)),
  },
  { key: "took", title: "Took", width: "88px", align: "right", cell: (run) => <Took of={run} /> },
];

function Took({ of }: { of: Run }) {
  return <Duration ms={durationOf(of, useNow())} />;
}
