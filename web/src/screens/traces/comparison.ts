// Two traces beside each other: what changed in words, and which of their runs belong together.
import type { Schemas } from "../../api/client";

type Change = Schemas["SpanChange"];
type TracedRun = Pick<Schemas["TracedRun"], "id" | "job" | "state">;

export const KIND_TONES = { added: "warn", removed: "idle", slower: "bad", faster: "ok" } as const;

/** The most any change made by itself: the length of the longest bar. */
export function greatestChange(changes: Pick<Change, "selfDifferenceNs">[]): number {
  return changes.reduce((most, one) => Math.max(most, Math.abs(one.selfDifferenceNs)), 0);
}

/** `added 2, slower 5`: what there is most to say of, without what stayed. */
export function countsText(counts: Record<string, number>): string {
  const told = (["added", "removed", "slower", "faster"] as const).flatMap((kind) =>
    counts[kind] ? [`${counts[kind]} ${kind}`] : [],
  );
  return told.join(", ") || "nothing changed";
}

/** Runs of one job in both traces; the last of each, if it was tried again. */
export function runPairs(
  before: TracedRun[],
  after: TracedRun[],
): { job: TracedRun["job"]; from: string; to: string }[] {
  const key = (run: TracedRun) => JSON.stringify([run.job.namespace, run.job.name]);
  const last = new Map(after.map((run) => [key(run), run]));
  const first = new Map(before.map((run) => [key(run), run]));
  return [...first].flatMap(([job, run]) => {
    const other = last.get(job);
    return other && other.id !== run.id ? [{ job: run.job, from: run.id, to: other.id }] : [];
  });
}
