import { quantile } from "d3-array";
import { Link } from "wouter";
import { paths, shortName } from "../../model/nodes";
import { countText } from "../../model/numbers";
import { durationText, millis, minuteText } from "../../model/times";
import { Badge, Tag } from "../../ui/Badge";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { ShareBar } from "../telemetry/Bars";
import { shareOf } from "../telemetry/figures";
import type { Trace } from "./scatter";
import styles from "./traces.module.css";

interface Props {
  traces: Trace[];
  picked: string[];
  onPick: (id: string) => void;
}

const SERVICES_SHOWN = 2;

export function TraceTable({ traces, picked, onPick }: Props) {
  // Of one that took very long all others would be nothing: the slowest twentieth have full bars.
  const long =
    quantile(
      traces.map((trace) => trace.durationNs),
      0.95,
    ) ?? 0;
  const columns: Column<Trace>[] = [
    {
      key: "pick",
      title: <span className="visually-hidden">Compare</span>,
      width: "20px",
      cell: (trace) => (
        <input
          type="checkbox"
          checked={picked.includes(trace.traceId)}
          aria-label={`Compare ${trace.name} of ${minuteText(millis(trace.startedAt))}`}
          onChange={() => onPick(trace.traceId)}
        />
      ),
    },
    {
      key: "name",
      title: "Trace",
      width: "minmax(120px, 1.2fr)",
      cell: (trace) => (
        <Link href={paths.trace(trace.traceId)} className={styles.name} title={`${trace.name}\n${trace.traceId}`}>
          {trace.name || "without a name"}
        </Link>
      ),
    },
    {
      key: "duration",
      title: "Duration",
      align: "right",
      width: "minmax(150px, 1fr)",
      cell: (trace) => (
        <ShareBar share={shareOf(trace.durationNs, long)} tone={trace.status === "ERROR" ? "bad" : "plain"} wide>
          {durationText(trace.durationNs / 1e6)}
        </ShareBar>
      ),
    },
    { key: "started", title: "Started", width: "136px", cell: (trace) => <Time at={trace.startedAt} /> },
    { key: "spans", title: "Spans", align: "right", width: "56px", cell: (trace) => countText(trace.spanCount) },
    {
      key: "errors",
      title: "Errors",
      align: "right",
      width: "64px",
      cell: (trace) =>
        trace.errorCount > 0 ? (
          <Badge tone="bad">{countText(trace.errorCount)}</Badge>
        ) : (
          <span className={styles.quiet}>–</span>
        ),
    },
    { key: "runs", title: "Run of", width: "minmax(130px, 1.2fr)", cell: (trace) => <Runs of={trace} /> },
    { key: "services", title: "Services", width: "minmax(150px, 1.8fr)", cell: (trace) => <Services of={trace} /> },
  ];
  return (
    <Table
      label="Traces"
      columns={columns}
      rows={traces}
      keyOf={(trace) => trace.traceId}
      height="max(360px, calc(100vh - 220px))"
      empty="No trace has a span that meets all conditions in this time."
    />
  );
}

/** The run that it begins with; the others are told on hover, and by the trace. */
function Runs({ of: { runs, runCount } }: { of: Trace }) {
  const told = runs.filter((run) => run.job !== null);
  const [first] = told;
  if (!first?.job) return <span className={styles.quiet}>–</span>;
  return (
    <span className={styles.services}>
      <Link
        href={paths.run(first.id)}
        className={styles.name}
        aria-label={`Run of ${first.job.name}`}
        title={told.map((run) => run.job?.name ?? run.id).join("\n")}
      >
        {shortName(first.job.name)}
      </Link>
      {runCount > 1 && <span className={`${styles.quiet} ${styles.more}`}>+{countText(runCount - 1)}</span>}
    </span>
  );
}

function Services({ of: { service: root, services: all } }: { of: Trace }) {
  const services = [root, ...all.filter((one) => one !== root)];
  const more = services.length - SERVICES_SHOWN;
  return (
    <span className={styles.services} title={services.join("\n")}>
      {services.slice(0, SERVICES_SHOWN).map((service) => (
        <Tag key={service}>{service}</Tag>
      ))}
      {more > 0 && <span className={`${styles.quiet} ${styles.more}`}>+{more}</span>}
    </span>
  );
}
