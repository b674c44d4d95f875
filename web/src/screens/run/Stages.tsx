import { keepPreviousData } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { durationText, millis } from "../../model/times";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { useNow } from "../../ui/Time";
import { Waterfall } from "../../ui/Waterfall";
import { LinkButton } from "../../ui/LinkButton";
import styles from "./run.module.css";
import { runsOfChildren, runsOfTrace, type Stage, stageRows, stagesOf } from "./stages";

const PAGE = 1_000;
const DEEPEST = 20;

interface Props {
  run: Schemas["RunAnswer"];
  trace: Schemas["RunTrace"] | undefined;
  live: boolean;
}

/** The runs that a run is made of, as bars over time. A run without parts shows nothing. */
export function Stages({ run, trace, live }: Props) {
  const [limit, setLimit] = useState(PAGE);
  const [chosen, setChosen] = useState<string>();
  const now = useNow();
  const began = millis(run.startedAt ?? run.createdAt);
  const answer = query.useQuery(
    "get",
    "/api/v1/runs/{run_id}/children",
    { params: { path: { run_id: run.id }, query: { depth: DEEPEST, limit } } },
    { placeholderData: keepPreviousData, refetchInterval: live ? 4_000 : false },
  );
  const children = answer.data?.children;
  const stages = useMemo(() => {
    const whole: Stage = {
      id: run.id,
      parent: undefined,
      job: run.job,
      state: run.state,
      start: began,
      end: run.endedAt ? millis(run.endedAt) : undefined,
    };
    return stagesOf(whole, [...runsOfChildren(children ?? []), ...(trace ? runsOfTrace(trace) : [])]);
  }, [run, began, children, trace]);
  const rows = useMemo(() => stageRows(stages, now), [stages, now]);
  const left = (answer.data?.totalCount ?? 0) - (children?.length ?? 0);
  if (stages.length === 1) return null;
  const picked = stages.find(({ stage }) => stage.id === chosen)?.stage;
  return (
    <Section
      title="Stages"
      note={stagesNote(stages.length - 1, left, answer.data?.truncated ?? false)}
      actions={left > 0 && <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>}
      flush
    >
      <Waterfall label="Stages of the run" rows={rows} chosen={chosen} onChoose={setChosen} maxHeight={420} />
      {picked && (
        <div className={styles.picked} aria-live="polite">
          <NodeName kind="job" of={picked.job} full />
          <StateBadge state={picked.state} />
          <span>{picked.end === undefined ? "at work" : durationText(picked.end - picked.start)}</span>
          {picked.id !== run.id && <LinkButton href={paths.run(picked.id)}>Open this run</LinkButton>}
        </div>
      )}
    </Section>
  );
}

function stagesNote(shown: number, left: number, truncated: boolean): string {
  if (left === 0 && !truncated) return manyText(shown, "run");
  return `the first ${countText(shown)} of ${truncated ? "more than " : ""}${manyText(shown + left, "run")}`;
}
