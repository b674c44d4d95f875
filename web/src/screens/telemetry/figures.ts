// Answers about runs become what charts, choices and tables show.
import type { Schemas } from "../../api/client";
import { millis } from "../../model/times";
import { covered, type Series } from "../../ui/moments";

type Success = Pick<Schemas["SuccessRates"], "steps">;
type Records = Pick<Schemas["RecordsWritten"], "steps">;

const STATES = [
  ["completed", "--ok"],
  ["failed", "--bad"],
  ["aborted", "--warn"],
  ["running", "--busy"],
] as const;

/** Runs by state; a state that nobody was in isn't shown. */
export function stateSeries({ steps }: Success): Series[] {
  return STATES.map(([name, color]) => ({
    name,
    color,
    points: steps.map((step) => ({ at: millis(step.at), value: step[name] })),
  })).filter((one) => one.points.some((point) => point.value > 0));
}

export function rateSeries({ steps }: Success): Series[] {
  const points = steps.map((step) => ({ at: millis(step.at), value: step.successRate }));
  return [{ name: "succeeded", color: "--ok", points }];
}

const LEVELS = [
  ["p99", "--series-3"],
  ["p95", "--series-1"],
  ["p50", "--series-2"],
] as const;

/** How long runs took, the slowest level first, as the lines stand above each other. */
export function durationSeries({ steps }: Pick<Schemas["DurationSteps"], "steps">): Series[] {
  return LEVELS.map(([name, color]) => ({
    name,
    color,
    points: steps.map((step) => ({ at: millis(step.at), value: step.durationMs[name] })),
  }));
}

export function writtenSeries({ steps }: Records, what: "recordsPerHour" | "bytesPerHour"): Series[] {
  const points = steps.map((step) => ({ at: millis(step.at), value: step[what] }));
  return [{ name: what === "recordsPerHour" ? "records per hour" : "bytes per hour", points }];
}

const TOO_LITTLE = 0.1;

/** Rates of steps that the stretch cuts are those of the part within; of too little of a step nothing is said. */
export function evenRates(series: Series[], stepS: number, from: number, to: number): Series[] {
  return series.map((one) => ({
    ...one,
    points: one.points.map(({ at, value }) => {
      const share = covered(at, stepS, from, to);
      return { at, value: value === null || share < TOO_LITTLE ? null : value / share };
    }),
  }));
}

export interface OfStage {
  namespace: string;
  pipeline: string | null;
  stage: string | null;
}

/** Names to choose from: all pipelines, and the stages of the chosen one, or of all. */
export function namesToChoose(rows: OfStage[], pipeline: string | null): { pipelines: string[]; stages: string[] } {
  const pipelines = new Set<string>();
  const stages = new Set<string>();
  for (const row of rows) {
    if (row.pipeline) pipelines.add(row.pipeline);
    if (row.stage && (!pipeline || row.pipeline === pipeline)) stages.add(row.stage);
  }
  const sorted = (names: Set<string>) => [...names].sort((a, b) => a.localeCompare(b));
  return { pipelines: sorted(pipelines), stages: sorted(stages) };
}

export function stageKey(row: OfStage): string {
  return JSON.stringify([row.namespace, row.pipeline, row.stage]);
}

/** Whether the tenant must stand beside names, because there are several. */
export function hasTenants(rows: { namespace: string }[]): boolean {
  return new Set(rows.map((row) => row.namespace)).size > 1;
}

/** Of everything written in the stretch, which share is whose; nothing of nothing is nothing. */
export function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
