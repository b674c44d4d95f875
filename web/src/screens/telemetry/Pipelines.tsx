import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query, type Schemas } from "../../api/client";
import { bytesText, countText, manyText, percentText, shortText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { Figure, Figures } from "../../ui/Figure";
import { Section } from "../../ui/Section";
import { ErrorNote, Loading } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { Durations, useDurationSteps } from "./Durations";
import { Errors } from "./Errors";
import { rateSeries, stateSeries } from "./figures";
import { Filters, useOfStage } from "./Filters";
import { NothingYet, NoTelemetry } from "./HowToSend";
import { Records } from "./Records";
import { useTime } from "./TelemetryScreen";
import styles from "./telemetry.module.css";

const KEEP = { placeholderData: keepPreviousData } as const;
const HALVES = () => [0, 0.5, 1];

/** How runs went: whether, how long, how much, and where they failed. */
export function Pipelines() {
  const { within, stepS } = useTime();
  const asked = { ...within, ...useOfStage() };
  const success = query.useQuery(
    "get",
    "/api/v1/analytics/success",
    { params: { query: { ...asked, step: stepS } } },
    KEEP,
  );
  const records = query.useQuery(
    "get",
    "/api/v1/analytics/records",
    { params: { query: { ...asked, step: stepS } } },
    KEEP,
  );
  const took = useDurationSteps(asked, stepS);
  if (success.error) return <NoTelemetry error={success.error} retry={() => void success.refetch()} />;
  if (!success.data) return <Loading />;
  if (success.data.runs === 0 && !asked.pipeline && !asked.stage && !records.data?.steps.length) {
    return <NothingYet what="run" />;
  }
  return (
    <>
      <Filters />
      <InShort success={success.data} records={records.data} took={took.data} />
      <Runs success={success.data} />
      <Durations asked={asked} />
      <Errors asked={asked} />
      {records.error ? <ErrorNote error={records.error} /> : records.data && <Records of={records.data} />}
    </>
  );
}

interface InShortProps {
  success: Schemas["SuccessRates"];
  records?: Schemas["RecordsWritten"];
  took?: Schemas["DurationSteps"];
}

function InShort({ success, records, took }: InShortProps) {
  const ended = success.completed + success.failed + success.aborted;
  return (
    <Figures>
      <Figure
        title="Succeeded"
        value={success.successRate === null ? "–" : percentText(success.successRate)}
        note={`${countText(success.completed)} of ${manyText(ended, "run")} that ended`}
      />
      <Figure
        title="Failed"
        value={countText(success.failed)}
        tone={success.failed > 0 ? "bad" : "idle"}
        note={`${countText(success.aborted)} aborted`}
      />
      <Figure
        title="At work"
        value={countText(success.running)}
        tone={success.running > 0 ? "busy" : "idle"}
        note="started, not ended"
      />
      <Figure
        title="Duration, p95"
        value={took?.durationMs ? durationText(took.durationMs.p95) : "–"}
        note={took?.durationMs ? `p50 ${durationText(took.durationMs.p50)}` : "no run ended"}
      />
      <Figure
        title="Records per hour"
        value={records ? shortText(Math.round(records.recordsPerHour)) : "–"}
        note={records && `${shortText(records.records)} written, ${bytesText(records.bytes)}`}
      />
    </Figures>
  );
}

function Runs({ success }: { success: Schemas["SuccessRates"] }) {
  const { from, to, onStretch } = useTime();
  const { stage } = useOfStage();
  const states = useMemo(() => stateSeries(success), [success]);
  const rates = useMemo(() => rateSeries(success), [success]);
  const chart = { from, to, stepS: success.stepS, onStretch };
  return (
    <Section
      title="Success over time"
      note={stage ? "runs of the stage, where they started" : "runs of whole pipelines, where they started"}
    >
      <div className={styles.charts}>
        <TimeChart label="Runs by state" series={states} as="bars" height={160} {...chart} />
        <TimeChart
          label="Success rate"
          titled
          series={rates}
          height={84}
          top={1}
          ticks={HALVES}
          format={percentText}
          {...chart}
        />
      </div>
    </Section>
  );
}
