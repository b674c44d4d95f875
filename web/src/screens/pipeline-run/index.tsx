import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { query } from "../../api/client";
import { useSegments } from "../../model/addresses";
import { paths } from "../../model/nodes";
import { countText } from "../../model/numbers";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Figure, Figures } from "../../ui/Figure";
import { Screen } from "../../ui/Screen";
import { Facts, Section } from "../../ui/Section";
import { Answer, ErrorNote } from "../../ui/States";
import { Duration, Time, useNow } from "../../ui/Time";
import { type Offer, offerOf, type Run } from "../pipelines/offers";
import { newKey } from "../pipelines/parameters";
import {
  durationOf,
  hasEnded,
  hasSucceeded,
  inOrder,
  isoOf,
  percentOf,
  rejectedOf,
  ruleRows,
} from "../pipelines/progress";
import { Start } from "../pipelines/Start";
import { Rules } from "./Rules";
import { Changes, Stages } from "./Stages";
import styles from "./PipelineRun.module.css";

const RUN = "/api/v1/pipeline/run/{run_id}";

export default function PipelineRun() {
  const [, , id = ""] = useSegments();
  const params = { params: { path: { run_id: id } } };
  const run = query.useQuery("get", RUN, params, {
    refetchInterval: (asked) => (asked.state.data && hasEnded(asked.state.data) ? false : 1000),
  });
  const offers = query.useQuery("get", "/api/v1/pipeline", {}, { retry: false });
  const offer = run.data && offerOf(offers.data?.pipelines ?? [], run.data);
  return (
    <Screen
      title={run.data ? `Run of ${run.data.pipeline}` : "Run of a pipeline"}
      over={
        <>
          <Link href={paths.pipelines()}>Pipelines</Link>
          <span className="mono">{id}</span>
        </>
      }
      heading={
        run.data && (
          <span className={styles.heading}>
            {run.data.pipeline} <StateBadge state={run.data.state} />
          </span>
        )
      }
      actions={run.data && <Actions run={run.data} offer={offer} />}
    >
      <Answer of={run} label="Reading the run">
        {(told) => <Whole run={told} offer={offer} />}
      </Answer>
    </Screen>
  );
}

function Whole({ run, offer }: { run: Run; offer: Offer | undefined }) {
  const now = useNow();
  const stages = inOrder(run.stages, offer?.stages);
  const rules = ruleRows(stages);
  const broken = rules.filter((rule) => !rule.passed).length;
  const rejected = rejectedOf(stages);
  const done = stages.filter((stage) => hasSucceeded(stage)).length;
  return (
    <>
      {run.error && (
        <div className={styles.error} role="alert">
          {run.failed_stage && (
            <p>
              Stage <b>{run.failed_stage}</b> failed.
            </p>
          )}
          <pre tabIndex={0} aria-label="Error">
            {run.error}
          </pre>
        </div>
      )}
      <Figures>
        <Figure
          title="Done"
          value={`${percentOf(run)} %`}
          note={`${done} of ${stages.length} stages completed`}
          tone={run.state === "FAIL" ? "bad" : "idle"}
        />
        <Figure
          title="Took"
          value={<Duration ms={durationOf(run, now)} />}
          note={hasEnded(run) ? "from start to end" : "so far"}
        />
        <Figure
          title="Quarantined rows"
          value={countText(rejected)}
          tone={rejected > 0 ? "warn" : "idle"}
          note="kept aside with the reason"
        />
        <Figure
          title="Rules broken"
          value={countText(broken)}
          tone={broken > 0 ? "bad" : "idle"}
          note={rules.length > 0 ? `of ${rules.length} that were checked` : "none was checked yet"}
        />
      </Figures>
      <Section title="Stages" note="in the order of their work" flush>
        <Stages stages={stages} after={new Map((offer?.stages ?? []).map((stage) => [stage.name, stage.after]))} />
      </Section>
      {rules.length > 0 && (
        <Section title="Quality" note="what became of each rule" flush>
          <Rules rows={rules} />
        </Section>
      )}
      <Changes stages={stages} />
      <Section title="About this run">
        <Facts
          facts={[
            ["Started", <Time key="started" at={isoOf(run.started_at)} as="second" />],
            ["Ended", <Time key="ended" at={isoOf(run.ended_at)} as="second" />],
            ["Namespace", run.namespace],
            [
              "Lineage",
              <Link key="run" href={paths.run(run.run_id)}>
                the run and why it went so
              </Link>,
            ],
            [
              "Trace",
              run.trace_id ? (
                <Link key="trace" href={paths.trace(run.trace_id)}>
                  {run.trace_id.slice(0, 16)}…
                </Link>
              ) : null,
            ],
            ["Spark application", run.application_id || null],
            ...Object.entries(run.parameters).map(([name, value]): [string, React.ReactNode] => [
              `Parameter ${name}`,
              <code key={name}>{value}</code>,
            ]),
          ]}
        />
      </Section>
    </>
  );
}

function Actions({ run, offer }: { run: Run; offer: Offer | undefined }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const [again, setAgain] = useState(false);
  const [key] = useState(newKey);
  const cancel = query.useMutation("post", "/api/v1/pipeline/run/{run_id}/cancel", {
    onSettled: () => void client.invalidateQueries({ queryKey: ["get", RUN] }),
  });
  const proceed = query.useMutation("post", "/api/v1/pipeline/run", {
    onSuccess: (started) => navigate(paths.pipelineRun(started.run_id)),
  });
  const error = cancel.error ?? proceed.error;
  return (
    <>
      {!hasEnded(run) && (
        <Button look="danger" disabled={cancel.isPending || cancel.isSuccess} onClick={() => setAsking(true)}>
          {cancel.isSuccess ? "Cancelling…" : "Cancel the run"}
        </Button>
      )}
      {offer && (run.state === "FAIL" || run.state === "ABORT") && (
        <Button
          disabled={proceed.isPending}
          title="Stages that completed are not done again."
          onClick={() =>
            proceed.mutate({
              params: { header: { "idempotency-key": key } },
              body: { pipeline: offer.name, parameters: run.parameters, rerun_failed: run.run_id },
            })
          }
        >
          Go on where it failed
        </Button>
      )}
      {offer && hasEnded(run) && <Button onClick={() => setAgain(true)}>Run again</Button>}
      {error != null && (
        <Dialog title="That didn't work" onClose={() => (cancel.reset(), proceed.reset())}>
          <ErrorNote error={error} />
        </Dialog>
      )}
      {again && offer && <Start offer={offer} before={run.parameters} onClose={() => setAgain(false)} />}
      {asking && (
        <Dialog title={`Cancel this run of ${run.pipeline}?`} onClose={() => setAsking(false)}>
          <p>Stages that completed stay; what is being written is given up. The run ends as aborted.</p>
          <div className={styles.buttons}>
            <Button
              look="danger"
              onClick={() => {
                setAsking(false);
                cancel.mutate({ params: { path: { run_id: run.run_id } } });
              }}
            >
              Cancel it
            </Button>
            <Button onClick={() => setAsking(false)}>Let it run</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
