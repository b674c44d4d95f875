// Moments and a stretch of time become places on a slider, and the next moment at which something changed.
import { millis } from "../../model/times";

export interface Stretch {
  from: number;
  to: number;
}

/** When something changed: as it was told, which is finer than milliseconds, and to be placed. */
export interface Moment {
  at: string;
  ms: number;
}

export const STEPS = 1000;

/** Each once, the earliest first; what is no time is left out. */
export function momentsOf(times: string[]): Moment[] {
  return [...new Set(times)]
    .map((at) => ({ at, ms: millis(at) }))
    .filter(({ ms }) => Number.isFinite(ms))
    .sort((a, b) => a.ms - b.ms || (a.at < b.at ? -1 : 1));
}

/** The steps of the slider that have a mark: several changes may share one. */
export function markedSteps(moments: Moment[], stretch: Stretch): number[] {
  return [...new Set(moments.map(({ ms }) => stepOf(ms, stretch)))];
}

/** From the first event to the present; without one, the last day. */
export function stretchOf(beginning: string | undefined, now: number): Stretch {
  const from = beginning === undefined ? NaN : millis(beginning);
  return Number.isFinite(from) && from < now ? { from, to: now } : { from: now - 86_400_000, to: now };
}

export function stepOf(at: number, { from, to }: Stretch): number {
  const share = (at - from) / Math.max(1, to - from);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

export function momentOf(step: number, { from, to }: Stretch): number {
  return Math.round(from + ((to - from) * step) / STEPS);
}

/** As the address and the API take it; the last step is the present, and says nothing. */
export function momentText(step: number, stretch: Stretch): string {
  return step >= STEPS ? "" : new Date(momentOf(step, stretch)).toISOString();
}

/** The change before or after a moment; undefined where there is none. */
export function changeBeside(moments: Moment[], at: number, side: "before" | "after"): string | undefined {
  return (side === "before" ? moments.findLast(({ ms }) => ms < at) : moments.find(({ ms }) => ms > at))?.at;
}
