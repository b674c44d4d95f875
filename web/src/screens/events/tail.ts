// What arrives while the screen is open: shown at once, or counted while it is paused; never more than fits.
import type { EventRow } from "./rows";

export interface Tail {
  /** The newest first. */
  shown: EventRow[];
  waiting: EventRow[];
  isPaused: boolean;
  /** How many had to go, so that the list and what is stored no longer meet. */
  lost: number;
}

export const MOST_TAIL = 1000;
export const QUIET: Tail = { shown: [], waiting: [], isPaused: false, lost: 0 };

/** `rows` in the order of their arrival. */
export function received(tail: Tail, rows: EventRow[]): Tail {
  if (rows.length === 0) return tail;
  const known = new Set([...tail.shown, ...tail.waiting].map((row) => row.id));
  const fresh = rows.filter((row) => !known.has(row.id) && known.add(row.id)).reverse();
  if (fresh.length === 0) return tail;
  const key = tail.isPaused ? "waiting" : "shown";
  const all = [...fresh, ...tail[key]];
  return { ...tail, [key]: all.slice(0, MOST_TAIL), lost: tail.lost + Math.max(0, all.length - MOST_TAIL) };
}

export function paused(tail: Tail): Tail {
  return { ...tail, isPaused: true };
}

export function resumed(tail: Tail): Tail {
  const all = [...tail.waiting, ...tail.shown];
  return {
    shown: all.slice(0, MOST_TAIL),
    waiting: [],
    isPaused: false,
    lost: tail.lost + Math.max(0, all.length - MOST_TAIL),
  };
}
