// What the hub tells of the last hours becomes one sentence, and the figures that it rests on.
import type { paths } from "../../api/schema";
import { countText, manyText } from "../../model/numbers";
import type { Tone } from "../../model/states";

export type Overview = paths["/api/v1/overview"]["get"]["responses"][200]["content"]["application/json"];

export interface Verdict {
  tone: Tone;
  sentence: string;
}

interface Part {
  count: number;
  truncated: boolean;
}

export type Counted = Pick<Overview, "hours" | "runs" | "deadLetters"> & {
  [Name in "failedRuns" | "lateDatasets" | "failingChecks" | "schemaChanges" | "silentProducers"]: Part;
};

export function isEmpty(overview: Pick<Overview, "counts"> & { events: { total: number } }): boolean {
  return overview.counts.jobs === 0 && overview.counts.datasets === 0 && overview.events.total === 0;
}

export function stretchText(hours: number): string {
  if (hours === 1) return "the last hour";
  if (hours % 24 === 0 && hours > 24) return `the last ${hours / 24} days`;
  return `the last ${hours} hours`;
}

/** What is wrong comes before what only waits; what merely changed is said beside, and no reason to worry. */
export function verdict(overview: Counted): Verdict {
  const waiting = { count: overview.deadLetters ?? 0, truncated: false };
  const parts: [Part, string, Tone][] = [
    [overview.failedRuns, "failed run", "bad"],
    [overview.lateDatasets, "late dataset", "bad"],
    [overview.failingChecks, "failing check", "bad"],
    [overview.silentProducers, "silent producer", "warn"],
    [waiting, "dead letter", "warn"],
  ];
  const isCut = overview.runs.truncated || parts.some(([part]) => part.truncated);
  const found = parts.filter(([part]) => part.count > 0);
  const [first] = found;
  if (!first) return { tone: "ok", sentence: quietText(overview, isCut) };
  const total = found.reduce((sum, [part]) => sum + part.count, 0);
  const things = found.length === 1 ? manyText(total, first[1]) : `${countText(total)} things`;
  const sentence = `${isCut ? "At least " : ""}${things} ${total === 1 ? "needs" : "need"} a look`;
  return { tone: first[2], sentence };
}

function quietText({ hours, runs, schemaChanges }: Counted, isCut: boolean): string {
  const quiet = isCut ? "All quiet so far" : "All quiet";
  const changed = schemaChanges.count > 0 ? `, ${manyText(schemaChanges.count, "schema change")}` : "";
  if (runs.total === 0) return `${quiet}: nothing ran in ${stretchText(hours)}${changed}`;
  const none = runs.total === 1 ? (changed ? "it didn't fail" : "and it didn't fail") : "none failed";
  return `${quiet}: ${manyText(runs.total, "run")}, ${none}${changed}`;
}

/** `31 completed, 2 at work`: what there is, and nothing that there isn't. */
export function runsText(runs: Overview["runs"]): string {
  const parts: [number, string][] = [
    [runs.completed, "completed"],
    [runs.running, "at work"],
    [runs.aborted, "aborted"],
    [runs.new, "new"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${countText(count)} ${word}`)
    .join(", ");
}

type Change = Pick<
  Overview["schemaChanges"]["items"][number],
  "added" | "removed" | "changed" | "renamed" | "moved" | "described" | "columns"
>;

/** `+genre, −email, unit_price INTEGER → NUMERIC, 2 more`: columns by name, and the others by number. */
export function changeText(change: Change): string {
  const named = change.columns.map(({ how, column, before, after }) => {
    if (how === "added") return `+${column}`;
    if (how === "removed") return `\u2212${column}`;
    if (how === "renamed") return `${before ?? ""} → ${column}`;
    return `${column} ${before ?? "no type"} → ${after ?? "no type"}`;
  });
  const { added, removed, changed, renamed, moved, described } = change;
  const more = added + removed + changed + renamed - named.length;
  if (more > 0) named.push(`${countText(more)} more`);
  if (moved > 0) named.push(`${countText(moved)} moved`);
  if (described > 0) named.push(`${countText(described)} described`);
  return named.join(", ");
}

/** A rate as people say it: whole where it is large. */
export function rateText(perMinute: number): string {
  return perMinute >= 10 ? countText(Math.round(perMinute)) : String(Number(perMinute.toFixed(1)));
}
