import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query, type Schemas } from "../../api/client";
import { countText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Answer, ErrorNote } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration } from "../../ui/Time";
import { TimeChart } from "../../ui/TimeChart";
import { greatest, QuantileBar } from "./Bars";
import { durationSeries, hasTenants, stageKey } from "./figures";
import { Left } from "./Left";
import { StageName } from "./StageName";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";
import { formatOf } from "./units";

type Row = Schemas["RunDurations"]["durations"][number];

export interface AskedRuns {
  from: string;
  to: string;
  pipeline?: string;
  stage?: string;
}

const MOST_ROWS = 1000;
const MILLISECONDS = formatOf("ms");

export function useDurationSteps(asked: AskedRuns, stepS: number) {
  return query.useQuery(
    "get",
    "/api/v1/analytics/durations/steps",
    { params: { query: { ...asked, step: stepS } } },
    { placeholderData: keepPreviousData },
  );
}

/** How long runs took, by pipeline and stage. */
export function Durations({ asked }: { asked: AskedRuns }) {
  const question = query.useQuery(
    "get",
    "/api/v1/analytics/durations",
    { params: { query: { ...asked, limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section title="Durations" note="of runs that ended; the slowest p95 first" flush>
      <OverTime asked={asked} />
      <Answer of={question}>
        {({ durations, totalCount }) => (
          <>
            <Table
              label="Durations by pipeline and stage"
              columns={columnsOf(durations)}
              rows={durations}
              keyOf={stageKey}
              height={420}
              empty="No run ended in this time."
            />
            <Left shown={durations.length} total={totalCount} />
          </>
        )}
      </Answer>
    </Section>
  );
}

/** Of whole pipelines, or of the chosen stage; a step without a run is passed over. */
function OverTime({ asked }: { asked: AskedRuns }) {
  const { from, to, stepS, onStretch } = useTime();
  const question = useDurationSteps(asked, stepS);
  const series = useMemo(() => (question.data ? durationSeries(question.data) : []), [question.data]);
  if (question.error) return <ErrorNote error={question.error} />;
  if (!question.data?.steps.length) return null;
  return (
    <div className={styles.padded}>
      <TimeChart
        label={asked.stage ? "Durations of the stage" : "Durations of whole pipelines"}
        titled
        series={series}
        height={140}
        from={from}
        to={to}
        onStretch={onStretch}
        {...MILLISECONDS}
      />
    </div>
  );
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const most = greatest(rows.map((row) => row.durationMs));
  const tenant = hasTenants(rows);
  const quantile = (name: "p50" | "p95" | "p99" | "max"): Column<Row> => ({
    key: name,
    title: name === "max" ? "longest" : name,
    align: "right",
    width: "88px",
    cell: (row) => <Duration ms={row.durationMs[name]} />,
  });
  return [
    {
      key: "name",
      title: "Pipeline › stage",
      width: "minmax(160px, 2fr)",
      cell: (row) => <StageName of={row} tenant={tenant} />,
    },
    { key: "runs", title: "Runs", align: "right", width: "64px", cell: (row) => countText(row.runs) },
    {
      key: "bar",
      title: "p50 · p95 · p99",
      width: "minmax(96px, 1.5fr)",
      cell: (row) => <QuantileBar of={row.durationMs} most={most} />,
    },
    quantile("p50"),
    quantile("p95"),
    quantile("p99"),
    quantile("max"),
  ];
}
