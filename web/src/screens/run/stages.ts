// The parts of a run, and its trace, enter; the runs inside of it leave as a tree, in the order of starts.
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";
import { toneOf } from "../../model/states";
import { millis } from "../../model/times";
import type { WaterfallRow } from "../../ui/Waterfall";
import { shortName } from "../../model/nodes";

export interface Stage {
  id: string;
  parent: string | undefined;
  job: Name;
  state: string;
  /** Milliseconds since 1970. */
  start: number;
  /** Nothing while it is at work. */
  end: number | undefined;
}

type Child = Schemas["ChildRun"];

/** The runs that name it, or one of its parts, as their parent. */
export function runsOfChildren(children: readonly Child[]): Stage[] {
  return children.map((child) => ({
    id: child.id,
    parent: child.parent,
    job: child.job,
    state: child.state,
    start: millis(child.startedAt ?? child.createdAt),
    end: child.endedAt ? millis(child.endedAt) : undefined,
  }));
}

/** The runs that spans inside of a run's own span name: another way to know what belongs to it. */
export function runsOfTrace(trace: Schemas["RunTrace"]): Stage[] {
  const own = trace.spans.findIndex((span) => span.spanId === trace.spanId);
  const depth = trace.spans[own]?.depth;
  if (depth === undefined) return [];
  const inside = new Set<string>();
  for (const span of trace.spans.slice(own + 1)) {
    if (span.depth <= depth) break;
    if (span.runId && span.runId !== trace.run.id) inside.add(span.runId);
  }
  return trace.runs
    .filter((run) => inside.has(run.id))
    .map((run) => ({
      id: run.id,
      parent: trace.run.id,
      job: run.job,
      state: run.state,
      start: millis(run.startedAt),
      end: run.endedAt ? millis(run.endedAt) : undefined,
    }));
}

/** The run, then all that is inside of it with how deep it stands; just the run if it has no parts. */
export function stagesOf(run: Stage, known: Iterable<Stage>): { stage: Stage; depth: number }[] {
  const inside = new Map<string, Stage[]>();
  const seen = new Set([run.id]);
  for (const stage of known) {
    if (stage.parent === undefined || seen.has(stage.id)) continue;
    seen.add(stage.id);
    inside.set(stage.parent, [...(inside.get(stage.parent) ?? []), stage]);
  }
  const found: { stage: Stage; depth: number }[] = [];
  const met = new Set<string>();
  const walk = (stage: Stage, depth: number) => {
    if (met.has(stage.id)) return;
    met.add(stage.id);
    found.push({ stage, depth });
    for (const part of (inside.get(stage.id) ?? []).sort((a, b) => a.start - b.start)) walk(part, depth + 1);
  };
  walk(run, 0);
  return found;
}

/** As rows of a waterfall, from the first start on; what is at work lasts until now. */
export function stageRows(stages: readonly { stage: Stage; depth: number }[], now: number): WaterfallRow[] {
  const zero = Math.min(...stages.map(({ stage }) => stage.start));
  return stages.map(({ stage, depth }) => ({
    id: stage.id,
    depth,
    start: stage.start - zero,
    length: Math.max(0, (stage.end ?? now) - stage.start),
    name: partName(stage, stages[0]?.stage),
    color: `--${toneOf(stage.state)}`,
    failed: toneOf(stage.state) === "bad",
    open: stage.end === undefined,
  }));
}

/** Without the name of the job that all of it belongs to: `load` of `shop_daily.load`. */
function partName(stage: Stage, whole: Stage | undefined): string {
  const prefix = `${whole?.job.name}.`;
  if (whole && stage !== whole && stage.job.name.startsWith(prefix)) return stage.job.name.slice(prefix.length);
  return stage.job.name.includes("/") ? shortName(stage.job.name) : stage.job.name;
}
