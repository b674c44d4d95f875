// The state of a run becomes what is drawn: stages in the order of their work, how far all of it is, how long it took.
import type { OfferedStage, Run, Stage } from "./offers";

const ENDED = new Set(["COMPLETE", "FAIL", "ABORT", "SKIPPED", "REUSED"]);

export function hasEnded(run: Pick<Run, "state">): boolean {
  return ENDED.has(run.state);
}

/** Completed now, or before in a run that this one goes on with. */
export function hasSucceeded(stage: Pick<Stage, "state">): boolean {
  return stage.state === "COMPLETE" || stage.state === "REUSED";
}

/** By what waits for what; where that isn't known, by when they began, and those that wait last. */
export function inOrder(stages: Stage[], offered: OfferedStage[] | undefined): Stage[] {
  const places = new Map((offered ?? []).map((one, at) => [one.name, at]));
  const knows = stages.every((one) => places.has(one.name));
  const key = (stage: Stage) => (knows ? (places.get(stage.name) ?? 0) : (stage.started_at ?? Infinity));
  return stages
    .map((stage, at) => ({ stage, at }))
    .sort((a, b) => compare(key(a.stage), key(b.stage)) || a.at - b.at)
    .map(({ stage }) => stage);
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The mean over stages; a run that goes on is never shown as done. */
export function percentOf(run: Run): number {
  if (run.state === "COMPLETE") return 100;
  if (run.stages.length === 0) return 0;
  const done = run.stages.map((one) => (hasSucceeded(one) ? 100 : one.percent));
  return Math.min(99, Math.floor(done.reduce((sum, one) => sum + one, 0) / run.stages.length));
}

/** Milliseconds; of what runs, up to now. */
export function durationOf(one: { started_at: number | null; ended_at: number | null }, now: number): number | null {
  if (one.started_at === null) return null;
  return Math.max(0, (one.ended_at === null ? now : one.ended_at * 1000) - one.started_at * 1000);
}

export function isoOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

export interface RuleRow {
  stage: string;
  name: string;
  severity: string;
  passed: boolean;
  broken: number | null;
  says: string;
}

/** The broken ones first: they are what one looks for. */
export function ruleRows(stages: Stage[]): RuleRow[] {
  const rows = stages.flatMap((stage) => stage.rules.map((rule) => ({ stage: stage.name, ...rule })));
  return [...rows.filter((row) => !row.passed), ...rows.filter((row) => row.passed)];
}

/** Gone to quarantine, of all that were read or made. */
export function rejectedOf(stages: Stage[]): number {
  return stages.reduce((sum, one) => sum + one.rejected, 0);
}
