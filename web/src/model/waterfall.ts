// Timed rows of a tree, in the order of the drawing: which are in sight, where their bars stand, what a key does.
export interface TimedRow {
  id: string;
  depth: number;
  /** Milliseconds from the start of the drawing. */
  start: number;
  length: number;
}

export interface View {
  from: number;
  to: number;
}

type Rows = readonly TimedRow[];

/** For each row, the position after the last row inside of it. */
export function endsOf(rows: Rows): number[] {
  const ends = rows.map(() => rows.length);
  const open: { at: number; depth: number }[] = [];
  rows.forEach(({ depth }, at) => {
    for (let last = open.at(-1); last && last.depth >= depth; last = open.at(-1)) {
      ends[last.at] = at;
      open.pop();
    }
    open.push({ at, depth });
  });
  return ends;
}

/** Positions of the rows that no closed row hides. */
export function shownRows(rows: Rows, ends: readonly number[], closed: ReadonlySet<string>): number[] {
  const shown: number[] = [];
  for (let at = 0; at < rows.length;) {
    shown.push(at);
    const row = rows[at];
    at = row && closed.has(row.id) ? (ends[at] ?? at + 1) : at + 1;
  }
  return shown;
}

export function parentOf(rows: Rows, at: number): number | undefined {
  const depth = rows[at]?.depth ?? 0;
  for (let above = at - 1; above >= 0; above -= 1) {
    if ((rows[above]?.depth ?? 0) < depth) return above;
  }
  return undefined;
}

/** The closed rows without those that hide the row at a position. */
export function openedFor(rows: Rows, at: number, closed: ReadonlySet<string>): ReadonlySet<string> {
  const left = new Set(closed);
  for (let above = parentOf(rows, at); above !== undefined; above = parentOf(rows, above)) {
    left.delete(rows[above]?.id ?? "");
  }
  return left.size === closed.size ? closed : left;
}

/** Everything that has something inside, from a depth on. */
export function closedFrom(rows: Rows, ends: readonly number[], depth: number): ReadonlySet<string> {
  return new Set(rows.filter((row, at) => row.depth >= depth && (ends[at] ?? 0) > at + 1).map((row) => row.id));
}

/** Left edge and width in per cent of the view; nothing if it lies outside. */
export function placeOf(
  part: { start: number; length: number },
  view: View,
): { left: number; width: number } | undefined {
  const whole = view.to - view.from;
  const from = Math.max(part.start, view.from);
  const to = Math.min(part.start + part.length, view.to);
  if (whole <= 0 || to < from) return undefined;
  return { left: ((from - view.from) / whole) * 100, width: ((to - from) / whole) * 100 };
}

/** The whole drawing; never without a length, so that a single instant can be drawn too. */
export function wholeOf(rows: Rows): View {
  let from = Infinity;
  let to = -Infinity;
  for (const row of rows) {
    from = Math.min(from, row.start);
    to = Math.max(to, row.start + row.length);
  }
  if (from > to) return { from: 0, to: 1 };
  return { from, to: to > from ? to : from + 1 };
}

/** A row with a little room on both sides, within the whole. */
export function viewOf(row: TimedRow, whole: View): View {
  const room = Math.max(row.length * 0.1, (whole.to - whole.from) * 1e-6);
  return { from: Math.max(whole.from, row.start - room), to: Math.min(whole.to, row.start + row.length + room) };
}

export function scaled(view: View, whole: View, factor: number): View {
  const length = (view.to - view.from) * factor;
  if (length >= whole.to - whole.from) return whole;
  const middle = (view.from + view.to) / 2;
  const from = Math.min(Math.max(middle - length / 2, whole.from), whole.to - length);
  return { from, to: from + length };
}

const MINUTE = 60_000;
// Steps that people count in once decimals no longer serve.
const STEPS = [1, 2, 5, 10, 15, 30].flatMap((n) => [n * 1000, n * MINUTE]);
const LONG_STEPS = [1, 2, 3, 6, 12, 24, 48, 168].map((n) => n * 60 * MINUTE);
const ALL_STEPS = [...STEPS, ...LONG_STEPS].sort((a, b) => a - b);

/** Round moments of the view, counted from the start of the drawing; at most `most` of them. */
export function ticksOf(view: View, most: number): number[] {
  const least = (view.to - view.from) / Math.max(1, most);
  const step = least >= 1000 ? (ALL_STEPS.find((one) => one >= least) ?? decimalStep(least)) : decimalStep(least);
  const first = Math.ceil(view.from / step);
  const ticks: number[] = [];
  for (let n = first; n * step <= view.to && ticks.length <= most; n += 1) ticks.push(n * step);
  return ticks;
}

function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((n) => n * power >= least) ?? 10) * power;
}

export interface Stand {
  /** Position among all rows. */
  at: number;
  closed: ReadonlySet<string>;
}

const PAGE = 15;

/** Where a key leads in the tree, as assistive technology expects it; nothing if it leads nowhere. */
export function afterKey(key: string, rows: Rows, ends: readonly number[], stand: Stand): Stand | undefined {
  const { at, closed } = stand;
  const row = rows[at];
  const shown = shownRows(rows, ends, closed);
  const place = shown.indexOf(at);
  const to = (next: number): Stand | undefined => {
    const found = shown[Math.min(Math.max(next, 0), shown.length - 1)];
    return found === undefined ? undefined : { at: found, closed };
  };
  if (!row) return to(0);
  const hasInside = (ends[at] ?? 0) > at + 1;
  switch (key) {
    case "ArrowDown":
      return to(place + 1);
    case "ArrowUp":
      return to(place - 1);
    case "PageDown":
      return to(place + PAGE);
    case "PageUp":
      return to(place - PAGE);
    case "Home":
      return to(0);
    case "End":
      return to(shown.length - 1);
    case "ArrowRight":
      if (!hasInside) return undefined;
      return closed.has(row.id) ? { at, closed: without(closed, row.id) } : { at: at + 1, closed };
    case "ArrowLeft": {
      if (hasInside && !closed.has(row.id)) return { at, closed: new Set([...closed, row.id]) };
      const above = parentOf(rows, at);
      return above === undefined ? undefined : { at: above, closed };
    }
    default:
      return undefined;
  }
}

export function without(closed: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const left = new Set(closed);
  left.delete(id);
  return left;
}
