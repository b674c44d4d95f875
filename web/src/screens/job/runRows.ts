// The runs of a job, as its list gives them, become rows: a run each, or a stretch of a stream.
import type { Schemas } from "../../api/client";
import { countText } from "../../model/numbers";
import { stateText } from "../../model/states";
import { rowsOfRun, rowsTogether } from "../run/volume";

type Run = Schemas["Run"];

export interface RunRow {
  run: Run;
  startedAt: string | null;
  durationMs: number | null;
  rowsRead: number | null;
  rowsWritten: number | null;
  /** Of a stretch of a stream: how many runs it is, and how they went. */
  stretch: string | undefined;
}

export function rowOf(run: Run): RunRow {
  const sides = rowsOfRun(run);
  return {
    run,
    startedAt: run.interval?.startedAt ?? run.startedAt,
    durationMs: run.interval?.durationMs ?? run.durationMs,
    rowsRead: rowsTogether(sides, "input"),
    rowsWritten: rowsTogether(sides, "output"),
    stretch: run.interval && stretchText(run.interval),
  };
}

export function stretchText(interval: Schemas["Interval"]): string {
  const states = Object.entries(interval.states).map(([state, count]) => `${countText(count)} ${stateText(state)}`);
  return `${countText(interval.runs)}${interval.more ? " or more" : ""} batches: ${states.join(", ")}`;
}

/** Two at most: a third one takes the place of the first. */
export function withPick(picked: readonly string[], id: string): string[] {
  if (picked.includes(id)) return picked.filter((one) => one !== id);
  return [...picked, id].slice(-2);
}

/** The older one first, so that a comparison tells what came after what. */
export function inOrder(picked: readonly string[], newestFirst: readonly { id: string }[]): string[] {
  const places = new Map(newestFirst.map((run, at) => [run.id, at]));
  return [...picked].sort((a, b) => (places.get(b) ?? 0) - (places.get(a) ?? 0));
}
