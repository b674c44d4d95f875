// Moments and a stretch of time become places on a slider, and the next moment at which something changed.
import { millis } from "../../model/times";

export interface Stretch {
  from: number;
  to: number;
}

export const STEPS = 1000;

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
export function changeBeside(moments: string[], at: number, side: "before" | "after"): string | undefined {
  const sorted = [...moments].sort((a, b) => millis(a) - millis(b));
  return side === "before" ? sorted.filter((one) => millis(one) < at).at(-1) : sorted.find((one) => millis(one) > at);
}
