// What the hub tells of the last hours becomes one sentence, and the figures that it rests on.
import type { paths } from "../../api/schema";
import { countText, manyText } from "../../model/numbers";
import type { Tone } from "../../model/states";

export type Overview = paths["/api/v1/overview"]["get"]["responses"][200]["content"]["application/json"];

export interface Verdict {
  tone: Tone;
  sentence: string;
}

export type Counted = Pick<Overview, "hours" | "counts" | "runs" | "deadLetters" | "truncated"> & {
  [Part in "failedRuns" | "lateDatasets" | "failingChecks"]: { count: number };
};

export function isEmpty(overview: Pick<Overview, "counts"> & { events: { total: number } }): boolean {
  return overview.counts.jobs === 0 && overview.counts.datasets === 0 && overview.events.total === 0;
}

export function stretchText(hours: number): string {
  if (hours === 1) return "the last hour";
  if (hours % 24 === 0 && hours > 24) return `the last ${hours / 24} days`;
  return `the last ${hours} hours`;
}

/** Producers that fell silent are listed, and no alarm: one silence of ten is longer than usual. */
export function verdict(overview: Counted): Verdict {
  const parts: [number, string][] = [
    [overview.failedRuns.count, "failed run"],
    [overview.lateDatasets.count, "late dataset"],
    [overview.failingChecks.count, "failing check"],
    [overview.deadLetters ?? 0, "dead letter"],
  ];
  const kinds = parts.filter(([count]) => count > 0);
  const [first] = kinds;
  if (first) {
    const total = kinds.reduce((sum, [count]) => sum + count, 0);
    const things = kinds.length === 1 ? manyText(total, first[1]) : `${countText(total)} things`;
    const sentence = `${overview.truncated ? "At least " : ""}${things} ${total === 1 ? "needs" : "need"} a look`;
    return { tone: first[1] === "dead letter" ? "warn" : "bad", sentence };
  }
  const { runs } = overview;
  const quiet = overview.truncated ? "All quiet so far" : "All quiet";
  if (runs.total === 0) return { tone: "ok", sentence: `${quiet}: nothing ran in ${stretchText(overview.hours)}` };
  const none = runs.total === 1 ? "and it didn't fail" : "none failed";
  return { tone: "ok", sentence: `${quiet}: ${manyText(runs.total, "run")}, ${none}` };
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
  "added" | "removed" | "changed" | "renamed" | "moved" | "described"
>;

export function changeText(change: Change): string {
  const words: (keyof Change)[] = ["added", "removed", "changed", "renamed", "moved", "described"];
  return words
    .filter((word) => change[word] > 0)
    .map((word) => `${change[word]} ${word}`)
    .join(", ");
}

/** A rate as people say it: whole where it is large. */
export function rateText(perMinute: number): string {
  return perMinute >= 10 ? countText(Math.round(perMinute)) : String(Number(perMinute.toFixed(1)));
}
