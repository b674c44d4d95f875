import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { manyText, percentText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { NodeName } from "../../ui/NodeName";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { countsText, greatestChange, KIND_TONES, runPairs } from "./comparison";
import styles from "./traces.module.css";

type Change = Schemas["SpanChange"];

const RUNS_SHOWN = 3;

interface Props {
  /** Ids of traces: how it was, and how it is. */
  from: string;
  to: string;
  onSwap: () => void;
  onClose: () => void;
}

/** What the second of two traces did otherwise than the first, span by span. */
export function TraceComparison({ from, to, onSwap, onClose }: Props) {
  const path = (trace_id: string) => ({ params: { path: { trace_id } } });
  const before = query.useQuery("get", "/api/v1/traces/{trace_id}", path(from));
  const after = query.useQuery("get", "/api/v1/traces/{trace_id}", path(to));
  const diff = query.useQuery("get", "/api/v1/traces/{trace_id}/diff", {
    params: { path: { trace_id: from }, query: { to } },
  });
  return (
    <Dialog title="Compare traces" onClose={onClose}>
      <div className={styles.pair}>
        <Side title="From" id={from} trace={before.data} />
        <Side title="To" id={to} trace={after.data} />
        <Button onClick={onSwap}>Swap</Button>
      </div>
      <Answer of={diff} label="Comparing">
        {(found) => <Changes of={found} />}
      </Answer>
      {before.data && after.data && <Runs before={before.data} after={after.data} />}
    </Dialog>
  );
}

function Side({ title, id, trace }: { title: string; id: string; trace?: Schemas["Trace"] }) {
  return (
    <div className={styles.side}>
      <span className={styles.quiet}>{title}</span>
      <Link href={paths.trace(id)} className={styles.name} title={id}>
        {trace?.spans[0]?.name ?? id.slice(0, 12)}
      </Link>
      {trace && (
        <span className={styles.quiet}>
          <Time at={trace.startedAt} /> · {durationText(trace.durationNs / 1e6)}
        </span>
      )}
    </div>
  );
}

function Changes({ of }: { of: Schemas["TraceDiff"] }) {
  const isSlower = of.differenceNs > 0;
  const share = of.from.durationNs > 0 ? Math.abs(of.differenceNs) / of.from.durationNs : 0;
  return (
    <>
      <p>
        {of.differenceNs === 0
          ? "Both took the same time"
          : `${durationText(Math.abs(of.differenceNs) / 1e6)} ${isSlower ? "slower" : "faster"} (${percentText(share)})`}
        : {countsText(of.counts)}.
      </p>
      <div className={styles.changes}>
        <Table
          label="Changes, the greatest of a span's own time first"
          columns={columnsOf(greatestChange(of.changes))}
          rows={of.changes}
          keyOf={(change, index) => `${index} ${change.path.join("\n")}`}
          height={420}
          empty="Every span took about the same time in both."
        />
      </div>
    </>
  );
}

function columnsOf(greatest: number): Column<Change>[] {
  return [
    { key: "kind", title: "What", width: "84px", cell: (one) => <Badge tone={KIND_TONES[one.kind]}>{one.kind}</Badge> },
    {
      key: "span",
      title: "Span",
      width: "minmax(140px, 1fr)",
      cell: (one) => (
        <span className={styles.span} title={`${one.path.join(" › ")}\n${one.service}`}>
          {one.path.length > 1 && <span className={styles.quiet}>{one.path.at(-2)} › </span>}
          {one.path.at(-1)}
        </span>
      ),
    },
    {
      key: "took",
      title: "Took",
      align: "right",
      width: "132px",
      cell: (one) => `${tookText(one.from)} → ${tookText(one.to)}`,
    },
    {
      key: "own",
      title: "By itself",
      align: "right",
      width: "128px",
      cell: (one) => <OwnChange ns={one.selfDifferenceNs} greatest={greatest} />,
    },
  ];
}

function tookText(one: Change["from"]): string {
  return one === null ? "–" : durationText(one.durationNs / 1e6);
}

function OwnChange({ ns, greatest }: { ns: number; greatest: number }) {
  const width = greatest > 0 ? `${(Math.abs(ns) / greatest) * 50}%` : 0;
  return (
    <span className={styles.own}>
      <span className={styles.ownTrack} aria-hidden="true">
        <i data-more={ns > 0} style={ns > 0 ? { left: "50%", width } : { right: "50%", width }} />
      </span>
      <span>
        {ns > 0 ? "+" : ""}
        {durationText(ns / 1e6)}
      </span>
    </span>
  );
}

function Runs({ before, after }: { before: Schemas["Trace"]; after: Schemas["Trace"] }) {
  const pairs = runPairs(before.runs, after.runs);
  if (pairs.length === 0) return null;
  const [first, rest] = [pairs.slice(0, RUNS_SHOWN), pairs.slice(RUNS_SHOWN)];
  return (
    <div>
      <h3>Their runs</h3>
      <RunPairs of={first} />
      {rest.length > 0 && (
        <details>
          <summary>{manyText(rest.length, "more run", "more runs")}</summary>
          <RunPairs of={rest} />
        </details>
      )}
    </div>
  );
}

function RunPairs({ of }: { of: ReturnType<typeof runPairs> }) {
  return (
    <ul className={styles.runs}>
      {of.map((pair) => (
        <li key={pair.from}>
          <NodeName kind="job" of={pair.job} plain />
          <Link href={paths.compareRuns(pair.from, pair.to)}>Compare the runs</Link>
        </li>
      ))}
    </ul>
  );
}
