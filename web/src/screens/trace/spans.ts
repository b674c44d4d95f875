// A trace's spans become rows of a waterfall; words, and what is to be shown, become the spans that count.
import type { Schemas } from "../../api/client";
import type { WaterfallRow } from "../../ui/Waterfall";

export type Span = Schemas["Span"];
type Trace = Pick<Schemas["Trace"], "spans" | "criticalPath" | "services">;

const NS = 1e6;
const COLORS = 6;

/** A colour of the series for each service, by its place in the list. */
export function colorsOf(services: readonly string[]): Map<string, string> {
  return new Map(services.map((service, at) => [service, `--series-${(at % COLORS) + 1}`]));
}

export type Shown = "run" | "all" | "critical" | "failed";

/** A span and all inside of it, as a tree of its own. */
export function spansBelow(spans: readonly Span[], id: string): readonly Span[] {
  const at = spans.findIndex((span) => span.spanId === id);
  const top = spans[at];
  if (!top) return [];
  const end = spans.findIndex((span, place) => place > at && span.depth <= top.depth);
  return spans.slice(at, end < 0 ? undefined : end).map((span) => ({ ...span, depth: span.depth - top.depth }));
}

/** What is asked for and all that it is inside of, in the order of the drawing. */
export function spansShown(spans: readonly Span[], shown: Shown): readonly Span[] {
  if (shown === "all" || shown === "run") return spans;
  const isMeant = (span: Span) => (shown === "critical" ? span.criticalNs > 0 : span.status === "ERROR");
  const kept = new Set<number>();
  const open: number[] = [];
  spans.forEach((span, at) => {
    while (open.length > 0 && (spans[open.at(-1) ?? 0]?.depth ?? 0) >= span.depth) open.pop();
    open.push(at);
    if (isMeant(span)) for (const above of open) kept.add(above);
  });
  return spans.filter((_, at) => kept.has(at));
}

/** With `run` only what is inside of that run's own span. */
export function rowsOf(trace: Trace, shown: Shown = "all", own = ""): WaterfallRow[] {
  const colors = colorsOf(trace.services);
  const several = trace.services.length > 1;
  const critical = new Map<string, { start: number; length: number }[]>();
  for (const part of trace.criticalPath) {
    const parts = critical.get(part.spanId) ?? [];
    parts.push({ start: part.offsetNs / NS, length: part.durationNs / NS });
    critical.set(part.spanId, parts);
  }
  const spans = shown === "run" ? spansBelow(trace.spans, own) : spansShown(trace.spans, shown);
  return spans.map((span) => ({
    id: span.spanId,
    depth: span.depth,
    start: span.offsetNs / NS,
    length: span.durationNs / NS,
    name: span.name,
    note: several ? span.service : undefined,
    color: colors.get(span.service) ?? "--series-1",
    failed: span.status === "ERROR",
    critical: critical.get(span.spanId),
  }));
}

/** Ids of the spans that have all of the words: in names, services, messages, attributes (`key=value`) or ids. */
export function foundSpans(spans: readonly Span[], text: string): Set<string> | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return new Set(spans.filter((span) => words.every((word) => hasWord(span, word))).map((span) => span.spanId));
}

function hasWord(span: Span, word: string): boolean {
  const has = (text: string | null) => text !== null && text.toLowerCase().includes(word);
  return (
    has(span.name) ||
    has(span.service) ||
    has(span.statusMessage) ||
    has(span.runId) ||
    span.spanId === word ||
    Object.entries(span.attributes).some(([key, value]) => has(`${key}=${valueText(value)}`)) ||
    span.events.some((event) => has(event.name))
  );
}

/** The next or the one before of the found, round and round, from where one stands. */
export function nextFound(
  rows: readonly { id: string }[],
  found: ReadonlySet<string>,
  from: string | undefined,
  by: 1 | -1,
): string | undefined {
  const ids = rows.filter((row) => found.has(row.id)).map((row) => row.id);
  if (ids.length === 0) return undefined;
  const places = new Map(rows.map((row, at) => [row.id, at]));
  const here = from === undefined ? -1 : (places.get(from) ?? -1);
  const ordered = by === 1 ? ids : [...ids].reverse();
  const beyond = ordered.find((id) => (by === 1 ? (places.get(id) ?? 0) > here : (places.get(id) ?? 0) < here));
  return beyond ?? ordered[0];
}

export function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
