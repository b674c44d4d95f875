// Runs, what is usual and long silences become places in per cent: left and width over time, height by duration.
import { millis } from "../model/times";
import { ticksOf } from "../model/waterfall";

export interface TimelineRun {
  id: string;
  state: string;
  startedAt: string;
  durationMs: number | null;
  longerThanUsual?: boolean | null;
}

export interface Usual {
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface Gap {
  from: string;
  to: string;
  seconds: number;
}

export interface Layout<Run extends TimelineRun> {
  bars: { run: Run; left: number; height: number; ms: number; open: boolean }[];
  ticks: { ms: number; bottom: number }[];
  band: { bottom: number; height: number } | undefined;
  gaps: { left: number; width: number; gap: Gap }[];
  /** Between two bars at least, in per cent. */
  step: number;
  from: number;
  to: number;
}

/** `now` gives runs that are still at work the time that they have taken so far. */
export function layOut<Run extends TimelineRun>(
  runs: readonly Run[],
  usual: Usual,
  gaps: readonly Gap[],
  now: number,
): Layout<Run> {
  const timed = runs.map((run) => {
    const at = millis(run.startedAt);
    return { run, at, ms: run.durationMs ?? Math.max(0, now - at), open: run.durationMs === null };
  });
  const from = Math.min(...timed.map((one) => one.at));
  const to = Math.max(...timed.map((one) => one.at));
  const whole = Math.max(to - from, 1);
  // A run that never told of its end would make all others invisible.
  const known = timed.filter((one) => !one.open).map((one) => one.ms);
  const top = Math.max(...known, usual.p95Ms ?? 0, 1) * 1.05;
  const step = Math.min(2.2, 100 / Math.max(1, timed.length));
  const lefts = apart(
    timed.map((one) => (whole === 1 ? 50 : ((one.at - from) / whole) * 100)),
    step,
  );
  const left = (at: number) => (whole === 1 ? 50 : ((at - from) / whole) * 100);
  const height = (ms: number) => Math.min(100, (ms / top) * 100);
  const inside = gaps
    .map((gap) => ({ gap, start: Math.max(millis(gap.from), from), end: Math.min(millis(gap.to), to) }))
    .filter((one) => one.end > one.start);
  return {
    bars: timed.map(({ run, ms, open }, at) => ({ run, left: lefts[at] ?? 0, height: height(ms), ms, open })),
    ticks: ticksOf({ from: 0, to: top }, 5).map((ms) => ({ ms, bottom: height(ms) })),
    band:
      usual.p50Ms === null || usual.p95Ms === null
        ? undefined
        : { bottom: height(usual.p50Ms), height: height(usual.p95Ms) - height(usual.p50Ms) },
    gaps: inside.map(({ gap, start, end }) => ({ gap, left: left(start), width: left(end) - left(start) })),
    step,
    from,
    to,
  };
}

/** The same places, moved as little as it takes to stand so far from each other; none leaves the drawing. */
export function apart(places: readonly number[], least: number): number[] {
  const order = places.map((_, at) => at).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || b - a);
  const moved = [...places];
  order.forEach((at, n) => {
    const before = order[n - 1];
    if (before !== undefined) moved[at] = Math.max(moved[at] ?? 0, (moved[before] ?? 0) + least);
  });
  let most = 100;
  for (const at of order.reverse()) {
    moved[at] = Math.min(moved[at] ?? 0, most);
    most = (moved[at] ?? 0) - least;
  }
  return moved;
}
