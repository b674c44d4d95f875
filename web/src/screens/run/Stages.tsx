import { keepPreviousData } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText } from "../../model/numbers";
import { durationText, millis } from "../../model/times";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { Empty } from "../../ui/States";
import { useNow } from "../../ui/Time";
import { Waterfall } from "../../ui/Waterfall";
import { LinkButton } from "./LinkButton";
import styles from "./run.module.css";
import { runsOfEvents, runsOfTrace, type Stage, stageRows, stagesOf } from "./stages";

const FEW = 300;
const MANY = 5_000;
const MARGIN_MS = 1_000;

interface Props {
  run: Schemas["RunAnswer"];
  trace: Schemas["RunTrace"] | undefined;
  live: boolean;
}

/** The runs that a run is made of, as bars over time. A run without parts shows nothing. */
export function Stages({ run, trace, live }: Props) {
  const [limit, setLimit] = useState(FEW);
  const [chosen, setChosen] = useState<string>();
  const now = useNow();
  const began = millis(run.startedAt ?? run.createdAt);
  const answer = query.useQuery(
    "get",
    "/api/v1/events/lineage",
    {
      params: {
        query: {
          after: new Date(began - MARGIN_MS).toISOString(),
          before: run.endedAt ? new Date(millis(run.endedAt) + MARGIN_MS).toISOString() : undefined,
          sortDirection: "asc",
          limit,
        },
      },
    },
    { placeholderData: keepPreviousData, refetchInterval: live ? 4_000 : false },
  );
  const events = answer.data?.events;
  const stages = useMemo(() => {
    const whole: Stage = {
      id: run.id,
      parent: undefined,
      job: run.job,
      state: run.state,
      start: began,
      end: run.endedAt ? millis(run.endedAt) : undefined,
    };
    return stagesOf(whole, [...runsOfEvents(events ?? []).values(), ...(trace ? runsOfTrace(trace) : [])]);
  }, [run, began, events, trace]);
  const rows = useMemo(() => stageRows(stages, now), [stages, now]);
  const total = answer.data?.totalCount ?? 0;
  const left = total - (events?.length ?? 0);
  const isCut = left > 0;
  if (stages.length === 1 && !isCut) return null;
  const picked = stages.find(({ stage }) => stage.id === chosen)?.stage;
  return (
    <Section
      title="Stages"
      note={
        isCut
          ? `looked for in the first ${countText(total - left)} of ${countText(total)} events of that time`
          : undefined
      }
      actions={isCut && limit < MANY && <Button onClick={() => setLimit(MANY)}>Look further</Button>}
      flush
    >
      {stages.length > 1 ? (
        <Waterfall label="Stages of the run" rows={rows} chosen={chosen} onChoose={setChosen} maxHeight={420} />
      ) : (
        <Empty>None of these events tells of a part of this run.</Empty>
      )}
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
