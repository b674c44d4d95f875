import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { query, type Schemas } from "../../api/client";
import { manyText } from "../../model/numbers";
import { TextField } from "../../ui/Field";
import { Section } from "../../ui/Section";
import { Empty, Loading } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { useAsked } from "./asked";
import { NothingYet, NoTelemetry } from "./HowToSend";
import { Left } from "./Left";
import { MetricCourse } from "./MetricCourse";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";

type Metric = Schemas["Metric"];

const MOST_ROWS = 1000;
const PAUSE_MS = 250;

/** Metrics by the beginning of their names, and the chosen one over time. */
export function Metrics() {
  const { within } = useTime();
  const [params, ask] = useAsked();
  const [prefix, setPrefix] = usePaused(params.get("prefix") ?? "", (text) => ask({ prefix: text }));
  const chosen = params.get("metric");
  const question = query.useQuery(
    "get",
    "/api/v1/telemetry/metrics",
    { params: { query: { ...within, prefix: params.get("prefix") ?? "", limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  if (question.error) return <NoTelemetry error={question.error} retry={() => void question.refetch()} />;
  if (!question.data) return <Loading />;
  const { metrics, totalCount } = question.data;
  if (totalCount === 0 && !params.get("prefix") && !chosen) return <NothingYet what="metric" />;
  const columns: Column<Metric>[] = [
    {
      key: "name",
      title: "Metric",
      width: "minmax(140px, 1fr)",
      cell: (row) => (
        <button
          type="button"
          className={`${styles.pick} ${styles.metric}`}
          title={row.description ? `${row.name}\n${row.description}` : row.name}
          aria-current={row.name === chosen}
          onClick={() => ask({ metric: row.name, show: null, by: null })}
        >
          {row.name}
        </button>
      ),
    },
    { key: "type", title: "Kind", width: "76px", cell: (row) => <Kind of={row} /> },
  ];
  return (
    <div className={styles.explorer}>
      <div className={styles.list}>
        <Section
          title="Metrics"
          actions={
            <TextField
              label="Name begins with"
              quiet
              type="search"
              placeholder="name begins with"
              value={prefix}
              onChange={(event) => setPrefix(event.target.value)}
            />
          }
          flush
        >
          <Table
            label="Metrics"
            columns={columns}
            rows={metrics}
            keyOf={(row) => JSON.stringify([row.name, row.type, row.unit, row.temporality, row.monotonic])}
            height={560}
            empty={`No metric begins with ${JSON.stringify(prefix)} in this time.`}
          />
          <Left shown={metrics.length} total={totalCount} />
        </Section>
      </div>
      {chosen ? (
        <MetricCourse
          key={chosen}
          name={chosen}
          description={metrics.find((one) => one.name === chosen)?.description ?? null}
        />
      ) : (
        <Section title="Over time">
          <Empty>Choose a metric to see it over time.</Empty>
        </Section>
      )}
    </div>
  );
}

function Kind({ of }: { of: Metric }) {
  const word = of.type === "exponential_histogram" ? "histogram" : of.type;
  const title = [
    of.type.replace("_", " "),
    of.temporality?.toLowerCase(),
    of.monotonic && "only grows",
    of.unit && `in ${of.unit}`,
    manyText(of.points, "point"),
  ];
  return (
    <span className={styles.quiet} title={title.filter(Boolean).join(", ")}>
      {word}
    </span>
  );
}

/** Text that counts when the writer pauses. */
function usePaused(value: string, onSettle: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSettle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSettle]);
  return [text, setText];
}
