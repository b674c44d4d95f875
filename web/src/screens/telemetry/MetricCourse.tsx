import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../api/client";
import { manyText } from "../../model/numbers";
import { Select } from "../../ui/Field";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { useAsked } from "./asked";
import { evenRates } from "./figures";
import {
  attributeNames,
  byKind,
  kindKey,
  linesOf,
  type MetricSeries,
  SERVICE,
  statisticsOf,
  unitOf,
} from "./metricSeries";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";
import { formatOf } from "./units";

const MOST_SERIES = 200;
const ALL = "every attribute";

/** A metric over time: one chart for each kind under its name, grouped as one likes. */
export function MetricCourse({ name, description }: { name: string; description: string | null }) {
  const { within, stepS } = useTime();
  const [params, ask] = useAsked();
  const by = params.get("by") ?? "";
  const ofAll = { ...within, step: stepS, limit: MOST_SERIES };
  const path = { name };
  // Ungrouped, it tells which attributes there are.
  const plain = query.useQuery("get", "/api/v1/telemetry/metrics/{name}", { params: { path, query: ofAll } });
  const grouped = query.useQuery(
    "get",
    "/api/v1/telemetry/metrics/{name}",
    { params: { path, query: { ...ofAll, ...(by ? { by: [by] } : {}) } } },
    { placeholderData: keepPreviousData },
  );
  const attributes = useMemo(() => attributeNames(plain.data?.series ?? []), [plain.data]);
  const names = [...new Set([...attributes, SERVICE, ...(by ? [by] : [])])];
  return (
    <Section
      title={name}
      note={description}
      actions={
        <Select
          label="Group by"
          choices={[{ value: "", title: ALL }, ...names.map((value) => ({ value, title: value }))]}
          value={by}
          onChoose={(next) => ask({ by: next })}
        />
      }
    >
      <Answer of={grouped}>
        {({ series, totalCount, stepS: step }) => (
          <div className={styles.charts}>
            {byKind(series).map((kind) => (
              <KindChart key={kind[0] && kindKey(kind[0])} name={name} all={kind} stepS={step} />
            ))}
            {totalCount > series.length && (
              <p className={styles.note}>
                {manyText(totalCount - series.length, "series", "series")} more were not read. Group by an attribute
                with fewer values.
              </p>
            )}
          </div>
        )}
      </Answer>
    </Section>
  );
}

function KindChart({ name, all, stepS }: { name: string; all: MetricSeries[]; stepS: number }) {
  const { from, to, onStretch } = useTime();
  const [params, ask] = useAsked();
  const [first] = all;
  const statistics = useMemo(() => (first ? statisticsOf(first, first.points) : []), [first]);
  const asked = params.get("show");
  const statistic = statistics.find((one) => one === asked) ?? statistics[0] ?? "value";
  const { series, hidden } = useMemo(() => {
    const lines = linesOf(all, statistic, name);
    return statistic === "rate" ? { ...lines, series: evenRates(lines.series, stepS, from, to) } : lines;
  }, [all, statistic, name, stepS, from, to]);
  const drawn = useMemo(() => {
    const { unit, aSecond } = first ? unitOf(first, statistic) : { unit: "1", aSecond: false };
    return formatOf(unit, aSecond);
  }, [first, statistic]);
  if (!first) return null;
  return (
    <div className={styles.course}>
      {statistics.length > 1 && (
        <Select
          label="Show"
          choices={statistics.map((value) => ({ value, title: value === "rate" ? "rate a second" : value }))}
          value={statistic}
          onChoose={(next) => ask({ show: next === statistics[0] ? null : next })}
        />
      )}
      <TimeChart
        label={`${name}, ${statistic}`}
        series={series}
        height={260}
        from={from}
        to={to}
        stepS={stepS}
        onStretch={onStretch}
        {...drawn}
      />
      {hidden > 0 && (
        <p className={styles.note}>
          The strongest {series.length} are drawn; {manyText(hidden, "series", "series")} more are not.
        </p>
      )}
    </div>
  );
}
