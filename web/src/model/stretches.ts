// A stretch of time as the page's address has it: the last hours or days (`range`), or two moments (`from`, `to`).
import { millis } from "./times";

export const RANGES = [
  { value: "1h", title: "last hour", hours: 1 },
  { value: "6h", title: "last 6 hours", hours: 6 },
  { value: "24h", title: "last 24 hours", hours: 24 },
  { value: "7d", title: "last 7 days", hours: 168 },
  { value: "30d", title: "last 30 days", hours: 720 },
  { value: "365d", title: "last year", hours: 8760 },
] as const;

export type Range = (typeof RANGES)[number]["value"];

export interface Stretch {
  from: string;
  to: string;
  /** Seconds of a step that gives about sixty points. */
  stepS: number;
}

const STEPS = [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 86_400, 604_800];
const MOST_POINTS = 72;

function stretchOf(from: number, to: number): Stretch {
  const stepS = STEPS.find((step) => (to - from) / 1000 / step <= MOST_POINTS) ?? 604_800;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), stepS };
}

/** The last hours, to the minute: the same question keeps its answer while a screen is drawn again. */
export function lastHours(hours: number, now: number): Stretch {
  const to = Math.ceil(now / 60_000) * 60_000;
  return stretchOf(to - hours * 3_600_000, to);
}

/** Nothing where the two moments are none, or in the wrong order. */
export function between(from: string | null, to: string | null): Stretch | undefined {
  if (!from || !to) return undefined;
  const [start, end] = [millis(from), millis(to)];
  return start < end ? stretchOf(start, end) : undefined;
}
