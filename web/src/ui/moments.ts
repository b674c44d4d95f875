// Figures over time before they are drawn: which moments there are, where a line breaks, what stands under an axis.
import { bisectCenter } from "d3-array";

export interface Point {
  at: number;
  value: number | null;
}

export interface Series {
  name: string;
  points: Point[];
  /** A custom property of tokens.css, such as `--ok`; without one, the next of the series' colours. */
  color?: string;
}

export interface Band {
  name: string;
  points: { at: number; low: number; high: number }[];
}

/** A series with its colour; the second six of more than six are dashed. */
export interface Painted extends Series {
  paint: string;
  dash?: string;
  values: Map<number, number | null>;
}

const COLOURS = 6;

export function painted(series: Series[]): Painted[] {
  return series.map((one, index) => ({
    ...one,
    paint: `var(${one.color ?? `--series-${(index % COLOURS) + 1}`})`,
    dash:
      one.color === undefined && index >= COLOURS ? ["5 3", "2 2"][(Math.floor(index / COLOURS) - 1) % 2] : undefined,
    values: new Map(one.points.map((point) => [point.at, point.value])),
  }));
}

export function momentsOf(series: { points: { at: number }[] }[]): number[] {
  return [...new Set(series.flatMap((one) => one.points.map((point) => point.at)))].sort((a, b) => a - b);
}

export function nearest(moments: number[], at: number): number | undefined {
  return moments.length === 0 ? undefined : moments[bisectCenter(moments, at)];
}

/** The hub leaves out steps in which nothing happened: a line must not lead over them. */
export function broken(points: Point[], stepS?: number): Point[] {
  if (!stepS) return points;
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    const isGap = before !== undefined && point.at - before.at > stepS * 1500;
    return isGap ? [{ at: before.at + stepS * 1000, value: null }, point] : [point];
  });
}

/** Points that no line reaches: without a dot nobody would see them. */
export function lonely(points: Point[]): Point[] {
  const isThere = (point: Point | undefined) => point !== undefined && point.value !== null;
  return points.filter((point, at) => isThere(point) && !isThere(points[at - 1]) && !isThere(points[at + 1]));
}

/** Which share of a step lies within the stretch: the first and the last are often cut. */
export function covered(at: number, stepS: number, from: number, to: number): number {
  const stepMs = stepS * 1000;
  return stepMs > 0 ? Math.max(0, Math.min(at + stepMs, to) - Math.max(at, from)) / stepMs : 1;
}

/** Whether all values are counts: an axis of these has no halves. */
export function areWhole(series: Series[]): boolean {
  return series.every((one) => one.points.every((point) => Number.isInteger(point.value ?? 0)));
}

/** The least and the greatest that must fit; bars stand on each other, and everything stands on zero. */
export function heights(series: Painted[], moments: number[], stacked: boolean, band?: Band): [number, number] {
  let low = 0;
  let high = 0;
  for (const at of moments) {
    let sum = 0;
    for (const one of series) {
      const value = one.values.get(at) ?? 0;
      sum += value;
      low = Math.min(low, value);
      high = Math.max(high, stacked ? sum : value);
    }
  }
  for (const point of band?.points ?? []) {
    low = Math.min(low, point.low);
    high = Math.max(high, point.high);
  }
  return [low, high];
}

const DAY_MS = 86_400_000;
const YEAR = new Intl.DateTimeFormat(undefined, { year: "numeric" });
const MONTH = new Intl.DateTimeFormat(undefined, { month: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const SECOND = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", second: "2-digit" });

/** As little as tells a tick from its neighbours: the day at midnight, the month where months go by. */
export function tickText(at: number, stretchMs: number): string {
  const moment = new Date(at);
  if (moment.getHours() || moment.getMinutes() || moment.getSeconds()) {
    return (moment.getSeconds() ? SECOND : MINUTE).format(moment);
  }
  if (stretchMs < 100 * DAY_MS || moment.getDate() !== 1) return DAY.format(moment);
  return (moment.getMonth() === 0 ? YEAR : MONTH).format(moment);
}

/** Those that have room beside each other, the first one in any case. */
export function spaced<Tick extends { x: number }>(ticks: Tick[], room: number): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    if (before === undefined || tick.x - before.x >= room) kept.push(tick);
  }
  return kept;
}

// Nobody counts minutes in hundreds of seconds.
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const ROUND = [1, 2, 5, 10, 15, 30].flatMap((many) => [many * 1000, many * MINUTE_MS]);
const ROUND_HOURS = [1, 2, 3, 6, 12].map((many) => many * HOUR_MS);
const STEPS = [...ROUND, ...ROUND_HOURS].sort((a, b) => a - b);

/** Ticks of an axis of durations in milliseconds, from zero to at least `top`. */
export function durationTicks(top: number, most = 4): number[] {
  if (!(top > 0)) return [0, 1];
  let step = STEPS.find((one) => top / one <= most) ?? 0;
  if (top < most * 1000 || step === 0) {
    const unit = step === 0 ? DAY_MS : 1;
    const size = 10 ** Math.floor(Math.log10(top / unit / most));
    const many = [1, 2, 5, 10].find((one) => top / unit / (one * size) <= most) ?? 10;
    step = many * size * unit;
  }
  const ticks = Math.ceil(top / step - 1e-9);
  return Array.from({ length: ticks + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
