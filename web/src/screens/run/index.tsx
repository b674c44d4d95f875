import { useEffect } from "react";
import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { useStream } from "../../api/stream";
import { useSegments } from "../../model/addresses";
import { nodeId, paths, shortName } from "../../model/nodes";
import { stateText } from "../../model/states";
import { Badge, StateBadge } from "../../ui/Badge";
import { CopyButton } from "../../ui/Code";
import { Screen } from "../../ui/Screen";
import { Answer } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { CodeOfJob } from "../job/CodeOfJob";
import { Facets } from "../job/Facets";
import { Logs } from "../trace/Logs";
import { useParam } from "../../model/params";
import { earlierOf } from "./earlier";
import { Failure } from "./Failure";
import { InputsOutputs } from "./InputsOutputs";
import { LinkButton } from "../../ui/LinkButton";
import { RunFigures } from "./RunFigures";
import styles from "./run.module.css";
import { Stages } from "./Stages";
import { TraceOfRun } from "./TraceOfRun";
import { Why } from "./Why";

type RunAnswer = Schemas["RunAnswer"];

const isAtWork = (run: RunAnswer | undefined) => run !== undefined && ["NEW", "RUNNING"].includes(run.state);

export default function Run() {
  const [, id = ""] = useSegments();
  const answer = query.useQuery("get", "/api/v1/jobs/runs/{run_id}", { params: { path: { run_id: id } } });
  const run = answer.data;
  const live = isAtWork(run);
  const stream = useStream(["runs", "events"], () => void answer.refetch({ cancelRefetch: false }), {
    filter: run && { namespace: run.job.namespace, job: run.job.name },
    enabled: live,
  });
  return (
    <Screen
      title={run ? `Run of ${shortName(run.job.name)}` : "Run"}
      heading={
        run && (
          <span className={styles.heading}>
            {shortName(run.job.name)} <StateBadge state={run.state} />
            {live && stream === "live" && <Badge tone="busy">live</Badge>}
            {live && stream === "lost" && <Badge tone="warn">the hub is silent</Badge>}
          </span>
        )
      }
      over={
        <>
          <span>Run {run && <Link href={paths.job(run.job)}>of {run.job.name}</Link>}</span>
          <code>{id}</code>
        </>
      }
      actions={<Actions id={id} run={run} />}
    >
      <Answer of={answer} label="Reading the run">
        {(found) => <Whole run={found} live={live} />}
      </Answer>
    </Screen>
  );
}

function useEarlier(run: RunAnswer | undefined) {
  const until = run?.startedAt ?? run?.createdAt;
  return query.useQuery(
    "get",
    "/api/v1/namespaces/{namespace}/jobs/{job}/timeline",
    {
      params: {
        path: { namespace: run?.job.namespace ?? "", job: run?.job.name ?? "" },
        query: { to: until, limit: 30 },
      },
    },
    { enabled: run !== undefined },
  );
}

function Actions({ id, run }: { id: string; run: RunAnswer | undefined }) {
  const { before, lastGood } = earlierOf(useEarlier(run).data?.runs ?? [], id);
  return (
    <>
      {before && <LinkButton href={paths.compareRuns(before.id, id)}>Compare with the run before</LinkButton>}
      {lastGood && lastGood.id !== before?.id && (
        <LinkButton href={paths.compareRuns(lastGood.id, id)}>Compare with the last good run</LinkButton>
      )}
      {run && <LinkButton href={paths.lineage(nodeId("job", run.job))}>Lineage</LinkButton>}
      <CopyButton text={id} label="Copy id" />
    </>
  );
}

const TABS = ["happened", "logs", "code", "facets"] as const;
type Tab = (typeof TABS)[number];
const TITLES: Record<Tab, string> = { happened: "What happened", logs: "Logs", code: "Code", facets: "Facets" };

function Whole({ run, live }: { run: RunAnswer; live: boolean }) {
  const [asked, setTab] = useParam("tab", "happened");
  const tab = TABS.find((one) => one === asked) ?? "happened";
  const earlier = useEarlier(run);
  const trace = query.useQuery(
    "get",
    "/api/v1/runs/{run_id}/trace",
    { params: { path: { run_id: run.id } } },
    { refetchInterval: live ? 4_000 : false },
  );
  // The last spans and logs of a run come a moment after its end.
  const { refetch } = trace;
  useEffect(() => {
    if (live) return () => void refetch();
    return undefined;
  }, [live, refetch]);
  return (
    <>
      <RunFigures run={run} usual={earlier.data?.durations} live={live} />
      <Notes run={run} />
      <Tabs
        label="Parts of this run"
        chosen={tab}
        onChoose={setTab}
        tabs={TABS.map((key) => ({ key, title: TITLES[key] }))}
      >
        {tab === "happened" && (
          <>
            <Failure run={run} />
            <Why id={run.id} live={live} />
            <InputsOutputs run={run} />
            <Stages run={run} trace={trace.data} live={live} />
            <TraceOfRun of={trace} />
          </>
        )}
        {tab === "logs" && <Logs of={{ run: run.id }} live={live} />}
        {tab === "code" && <CodeOfRun id={run.id} />}
        {tab === "facets" && (
          <Facets of={{ kind: "run", id: run.id, told: run.facets }} empty="The run's events have no facets." />
        )}
      </Tabs>
    </>
  );
}

function CodeOfRun({ id }: { id: string }) {
  const answer = query.useQuery("get", "/api/v1/jobs/runs/{run_id}/facets", {
    params: { path: { run_id: id }, query: { type: "job" } },
  });
  return <Answer of={answer}>{({ facets }) => <CodeOfJob facets={facets} />}</Answer>;
}

/** What is odd about a run, in a sentence each. */
function Notes({ run }: { run: RunAnswer }) {
  const notes: React.ReactNode[] = [];
  if (run.args.run_id) {
    notes.push(
      <>
        Part of <Link href={paths.run(run.args.run_id)}>a run of {run.args.name ?? "another job"}</Link>.
      </>,
    );
  }
  if (run.conflict)
    notes.push(`Producers disagree how it ended: ${run.conflict.map((end) => stateText(end)).join(", ")}.`);
  if (run.startedAs)
    notes.push(
      <>
        It started as <Link href={paths.job(run.startedAs)}>{run.startedAs.name}</Link>.
      </>,
    );
  if (run.endedAs)
    notes.push(
      <>
        It ended as <Link href={paths.job(run.endedAs)}>{run.endedAs.name}</Link>.
      </>,
    );
  for (const other of run.sharedWith ?? []) {
    notes.push(
      <>
        A run of <Link href={paths.job(other)}>{other.name}</Link> has the same id.
      </>,
    );
  }
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note, at) => (
        <li key={at}>{note}</li>
      ))}
    </ul>
  );
}
