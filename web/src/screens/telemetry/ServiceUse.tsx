import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query, type Schemas } from "../../api/client";
import { bytesText, shortText } from "../../model/numbers";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { TimeChart } from "../../ui/TimeChart";
import { evenRates } from "./figures";
import { linesOf } from "./metricSeries";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";

type Service = Schemas["ResourceUse"]["services"][number];

interface Row {
  service: string;
  namespace: string;
  metric: string;
  kind: "CPU" | "memory";
  mean: string;
  most: string;
}

function coresText(value: number): string {
  return `${shortText(value)} ${value === 1 ? "core" : "cores"}`;
}

/** What services tell of their processes, by metrics of OpenTelemetry's conventions. */
export function ServiceUse({ services }: { services: Service[] }) {
  const { seconds } = useTime();
  const metrics = (of: "cpu" | "memory") => [...new Set(services.flatMap((one) => Object.keys(one[of])))].sort();
  const [cpu, memory] = [metrics("cpu"), metrics("memory")];
  return (
    <>
      {cpu.length + memory.length > 0 && (
        <Columns wide>
          {cpu.map((name) => (
            <UseChart key={name} name={name} statistic="rate" title="CPU" format={coresText} />
          ))}
          {memory.map((name) => (
            <UseChart key={name} name={name} statistic="value" title="Memory" format={bytesText} />
          ))}
        </Columns>
      )}
      <Section title="Services" note="CPU and memory of their processes" flush>
        <Table
          label="Resource use by service"
          columns={COLUMNS}
          rows={services.flatMap((service) => rowsOf(service, seconds))}
          keyOf={(row) => JSON.stringify([row.namespace, row.service, row.metric])}
          height={420}
          empty="No service sent process.*, container.* or jvm.* metrics in this time."
        />
      </Section>
    </>
  );
}

function rowsOf({ service, namespace, cpu, memory }: Service, seconds: number): Row[] {
  const text = (value: number | null, format: (value: number) => string) => (value === null ? "–" : format(value));
  return [
    ...Object.entries(cpu).map(([metric, { seconds: used }]) => ({
      ...{ service, namespace, metric },
      kind: "CPU" as const,
      mean: used === null ? "–" : coresText(used / seconds),
      most: text(used, (value) => `${shortText(Math.round(value))} s in all`),
    })),
    ...Object.entries(memory).map(([metric, { meanBytes, maxBytes }]) => ({
      ...{ service, namespace, metric },
      kind: "memory" as const,
      mean: text(meanBytes, bytesText),
      most: text(maxBytes, (value) => `${bytesText(value)} at most`),
    })),
  ];
}

const COLUMNS: Column<Row>[] = [
  {
    key: "service",
    title: "Service",
    width: "minmax(120px, 2fr)",
    cell: (row) => <span title={row.namespace}>{row.service}</span>,
  },
  { key: "kind", title: "Of", width: "72px", cell: (row) => row.kind },
  { key: "metric", title: "Metric", width: "minmax(120px, 1.5fr)", cell: (row) => <code>{row.metric}</code> },
  { key: "mean", title: "Mean", align: "right", width: "110px", cell: (row) => row.mean },
  {
    key: "most",
    title: "In all, or at most",
    align: "right",
    width: "140px",
    cell: (row) => <span className={styles.quiet}>{row.most}</span>,
  },
];

interface ChartProps {
  name: string;
  statistic: string;
  title: string;
  format: (value: number) => string;
}

function UseChart({ name, statistic, title, format }: ChartProps) {
  const { within, stepS } = useTime();
  const question = query.useQuery(
    "get",
    "/api/v1/telemetry/metrics/{name}",
    { params: { path: { name }, query: { ...within, step: stepS, by: ["service.name"], limit: 200 } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section title={title} note={name}>
      <Answer of={question}>
        {({ series, stepS: step }) => (
          <UseLines all={series} stepS={step} name={name} statistic={statistic} format={format} />
        )}
      </Answer>
    </Section>
  );
}

interface LinesProps extends Omit<ChartProps, "title"> {
  all: Schemas["MetricSeries"]["series"];
  stepS: number;
}

function UseLines({ all, stepS, name, statistic, format }: LinesProps) {
  const { from, to, onStretch } = useTime();
  const { series, hidden } = useMemo(() => {
    const lines = linesOf(all, statistic, all[0]?.service ?? name);
    return statistic === "rate" ? { ...lines, series: evenRates(lines.series, stepS, from, to) } : lines;
  }, [all, statistic, name, stepS, from, to]);
  return (
    <>
      <TimeChart label={name} series={series} format={format} from={from} to={to} stepS={stepS} onStretch={onStretch} />
      {hidden > 0 && <p className={styles.note}>{hidden} weaker ones are not drawn.</p>}
    </>
  );
}
