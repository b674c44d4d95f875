import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Missing } from "../trace/Missing";
import styles from "./comparison.module.css";

type Change = Schemas["SpanChange"];

const signed = (ns: number) => (ns === 0 ? "0" : ns > 0 ? `+${durationText(ns / 1e6)}` : durationText(ns / 1e6));
const MARKS: Record<Change["kind"], string> = { added: "+", removed: "−", slower: "▲", faster: "▼" };

/** What the spans of two runs did otherwise: what made the most difference by itself stands first. */
export function TraceDifferences({ a, b }: { a: string; b: string }) {
  const answer = query.useQuery("get", "/api/v1/traces/{trace_id}/diff", {
    params: { path: { trace_id: a }, query: { to: b } },
  });
  const found = answer.data;
  return (
    <Section title="Traces, span by span" note={found && summary(found)} flush>
      {found ? (
        <Table<Change>
          label="Spans that differ"
          rows={found.changes}
          keyOf={(_, at) => String(at)}
          empty="The spans took the same time."
          height={480}
          columns={columns(found)}
        />
      ) : answer.error ? (
        <Missing error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Comparing spans" />
      )}
    </Section>
  );
}

function summary(found: Schemas["TraceDiff"]): string {
  const words = [`${signed(found.differenceNs)} in all`];
  for (const kind of ["slower", "faster", "added", "removed"] as const) {
    const count = found.counts[kind] ?? 0;
    if (count > 0) words.push(`${countText(count)} ${kind}`);
  }
  const same = found.counts.same ?? 0;
  if (same > 0) words.push(`${manyText(same, "span")} the same`);
  return words.join(", ");
}

function columns(found: Schemas["TraceDiff"]): Column<Change>[] {
  const most = Math.max(1, ...found.changes.map((one) => Math.abs(one.selfDifferenceNs)));
  return [
    {
      key: "span",
      title: "Span",
      width: "minmax(180px, 3fr)",
      cell: (one) => {
        const at = one.to
          ? { trace: found.to.traceId, span: one.to.spanId }
          : { trace: found.from.traceId, span: one.from?.spanId ?? "" };
        return (
          <span className={styles.span} title={one.path.join(" › ")}>
            <span className={styles.mark} data-kind={one.kind} aria-hidden="true">
              {MARKS[one.kind]}
            </span>
            <Link href={`${paths.trace(at.trace)}?span=${at.span}`}>{one.path.at(-1) ?? "span"}</Link>
            {one.occurrence > 0 && <span className={styles.none}>#{one.occurrence + 1}</span>}
          </span>
        );
      },
    },
    { key: "kind", title: <span className="visually-hidden">Kind</span>, width: "64px", cell: (one) => one.kind },
    { key: "service", title: "Service", width: "minmax(72px, 1fr)", cell: (one) => one.service },
    {
      key: "a",
      title: "First",
      align: "right",
      width: "80px",
      cell: (one) => (one.from ? durationText(one.from.durationNs / 1e6) : "–"),
    },
    {
      key: "b",
      title: "Second",
      align: "right",
      width: "80px",
      cell: (one) => (one.to ? durationText(one.to.durationNs / 1e6) : "–"),
    },
    { key: "all", title: "Difference", align: "right", width: "88px", cell: (one) => signed(one.differenceNs) },
    { key: "own", title: "By itself", align: "right", width: "88px", cell: (one) => signed(one.selfDifferenceNs) },
    {
      key: "bar",
      title: <span className="visually-hidden">By itself, drawn</span>,
      width: "96px",
      cell: (one) => {
        const width = `${(Math.abs(one.selfDifferenceNs) / most) * 50}%`;
        return (
          <span className={styles.lean} aria-hidden="true">
            {one.selfDifferenceNs !== 0 && (
              <i style={one.selfDifferenceNs > 0 ? { left: "50%", width } : { right: "50%", width }} />
            )}
          </span>
        );
      },
    },
  ];
}
