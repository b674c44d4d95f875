// Traces become dots: when they started, and how long they took, on a scale that has room for microseconds and days.
import { scaleLog, scaleTime } from "d3-scale";
import type { Schemas } from "../../api/client";
import { durationText, millis } from "../../model/times";
import { spaced, tickText } from "../../ui/moments";

export type Trace = Schemas["ListedTrace"];

export interface Dot {
  trace: Trace;
  x: number;
  y: number;
}

export interface Scatter {
  dots: Dot[];
  xTicks: { x: number; text: string }[];
  yTicks: { y: number; text: string }[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** What stands at a place: a moment, and a duration in milliseconds. */
  placeOf: (x: number, y: number) => { at: number; ms: number };
}

const LEFT = 56;
const LEAST_MS = 0.001;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
// About ten times the one before, in units that people know.
const MARKS_MS = [
  ...[0.001, 0.01, 0.1, 1, 10, 100],
  ...[SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 10 * HOUR],
  ...[DAY, 10 * DAY, 100 * DAY, 1000 * DAY],
];

export function scatterOf(traces: Trace[], width: number, height: number, from: number, to: number): Scatter {
  const [left, right, top, bottom] = [LEFT, Math.max(LEFT + 1, width - 8), 8, height - 20];
  const lasted = traces.map((trace) => Math.max(LEAST_MS, trace.durationNs / 1e6));
  const low = Math.min(...lasted, MARKS_MS.at(-1) ?? 1);
  const high = Math.max(...lasted, LEAST_MS);
  const first = Math.max(
    0,
    MARKS_MS.findLastIndex((mark) => mark <= low),
  );
  const above = MARKS_MS.findIndex((mark) => mark >= high);
  const last = Math.max(above < 0 ? MARKS_MS.length - 1 : above, first + 1);
  const marks = MARKS_MS.slice(first, last + 1);
  const y = scaleLog()
    .domain([marks[0] ?? LEAST_MS, Math.max(marks.at(-1) ?? 1, high)])
    .range([bottom, top]);
  const x = scaleTime().domain([from, to]).range([left, right]);
  const every = Math.ceil(marks.length / 6);
  const xTicks = x
    .ticks(Math.max(2, Math.floor((right - left) / 96)))
    .map((tick) => ({ x: x(tick), text: tickText(+tick, to - from) }))
    .filter((tick) => tick.x + tick.text.length * 3.2 <= width);
  return {
    dots: traces.map((trace, at) => ({ trace, x: x(millis(trace.startedAt)), y: y(lasted[at] ?? LEAST_MS) })),
    xTicks: spaced(xTicks, 58),
    yTicks: marks.filter((_, index) => index % every === 0).map((ms) => ({ y: y(ms), text: durationText(ms) })),
    left,
    right,
    top,
    bottom,
    placeOf: (atX, atY) => ({ at: +x.invert(atX), ms: y.invert(Math.min(bottom, Math.max(top, atY))) }),
  };
}

/** The dot under the pointer, if one is near. */
export function dotAt(dots: Dot[], x: number, y: number, reach = 18): Dot | undefined {
  let best: Dot | undefined;
  let nearest = reach;
  for (const dot of dots) {
    const away = Math.hypot(dot.x - x, dot.y - y);
    if (away < nearest) [best, nearest] = [dot, away];
  }
  return best;
}
