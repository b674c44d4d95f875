// Boxes and lines become places at once: layers from left to right, rows by what they are joined to. ELK's come later.
export interface Sized {
  id: string;
  width: number;
  height: number;
}

export interface Joined {
  id: string;
  from: string;
  to: string;
  fromY: number;
  toY: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  at: Map<string, Point>;
  /** Where each line goes, from its begin to its end. */
  ways: Map<string, Point[]>;
  width: number;
  height: number;
}

const BETWEEN_LAYERS = 96;
const BETWEEN_BOXES = 18;

/** The layer of each id: after all that leads to it, but for the lines that close a circle. */
export function layersOf(ids: string[], lines: Iterable<{ from: string; to: string }>): Map<string, number> {
  const next = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of lines) if (from !== to && next.has(to)) next.get(from)?.push(to);
  const order = withoutCircles(ids, next);
  const place = new Map(order.map((id, at) => [id, at]));
  const isForward = (from: string, to: string) => (place.get(from) ?? 0) < (place.get(to) ?? 0);
  const layers = new Map<string, number>(ids.map((id) => [id, 0]));
  const fed = new Set<string>();
  for (const id of order) {
    for (const to of next.get(id) ?? []) {
      if (!isForward(id, to)) continue;
      fed.add(to);
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
    }
  }
  // What nothing leads to stands right before what it feeds, not at the far left.
  for (const id of order) {
    const after = (next.get(id) ?? []).filter((to) => isForward(id, to)).map((to) => layers.get(to) ?? 0);
    if (!fed.has(id) && after.length > 0) layers.set(id, Math.min(...after) - 1);
  }
  return layers;
}

/** An order in which lines lead forward, but for those that close a circle. */
function withoutCircles(ids: string[], next: Map<string, string[]>): string[] {
  const done: string[] = [];
  const seen = new Set<string>();
  for (const root of ids) {
    if (seen.has(root)) continue;
    seen.add(root);
    const stack: [string, number][] = [[root, 0]];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const to = next.get(top[0])?.[top[1]];
      top[1] += 1;
      if (to === undefined) {
        done.push(top[0]);
        stack.pop();
      } else if (!seen.has(to)) {
        seen.add(to);
        stack.push([to, 0]);
      }
    }
  }
  return done.reverse();
}

export function place(boxes: Sized[], lines: Joined[]): Layout {
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const layerOf = layersOf([...sizes.keys()], lines);
  const columns: string[][] = [];
  for (const { id } of boxes) (columns[layerOf.get(id) ?? 0] ??= []).push(id);
  for (let at = 0; at < columns.length; at += 1) columns[at] ??= [];
  settle(columns, lines);
  const at = new Map<string, Point>();
  let x = 0;
  const height = Math.max(0, ...columns.map((ids) => stackHeight(ids, sizes)));
  for (const ids of columns) {
    let y = (height - stackHeight(ids, sizes)) / 2;
    let width = 0;
    for (const id of ids) {
      const box = sizes.get(id);
      if (!box) continue;
      at.set(id, { x, y });
      y += box.height + BETWEEN_BOXES;
      width = Math.max(width, box.width);
    }
    if (ids.length > 0) x += width + BETWEEN_LAYERS;
  }
  const ways = new Map<string, Point[]>();
  for (const line of lines) ways.set(line.id, straight(line, at, sizes));
  return { at, ways, width: Math.max(0, x - BETWEEN_LAYERS), height };
}

function stackHeight(ids: string[], sizes: ReadonlyMap<string, Sized>): number {
  return ids.reduce((sum, id) => sum + (sizes.get(id)?.height ?? 0) + BETWEEN_BOXES, -BETWEEN_BOXES);
}

/** From the right side of a box to the left side of another. */
export function straight(line: Joined, at: ReadonlyMap<string, Point>, sizes: ReadonlyMap<string, Sized>): Point[] {
  const from = at.get(line.from);
  const to = at.get(line.to);
  if (!from || !to) return [];
  return [
    { x: from.x + (sizes.get(line.from)?.width ?? 0), y: from.y + line.fromY },
    { x: to.x, y: to.y + line.toY },
  ];
}

function listIn(lists: Map<string, string[]>, key: string): string[] {
  const found = lists.get(key) ?? [];
  lists.set(key, found);
  return found;
}

/** Each layer in the order of the middle of what its boxes are joined to: forth, back, and forth again. */
function settle(columns: string[][], lines: Joined[]): void {
  const near = new Map<string, string[]>();
  for (const { from, to } of lines) {
    listIn(near, from).push(to);
    listIn(near, to).push(from);
  }
  const row = new Map<string, number>();
  const layer = new Map<string, number>();
  const note = (ids: string[], which: number) =>
    ids.forEach((id, at) => {
      row.set(id, at / Math.max(1, ids.length));
      layer.set(id, which);
    });
  columns.forEach(note);
  const sweep = (which: number, isBefore: (other: number) => boolean) => {
    const ids = columns[which] ?? [];
    const middles = new Map<string, number>();
    for (const id of ids) {
      const rows = (near.get(id) ?? []).filter((one) => isBefore(layer.get(one) ?? 0)).map((one) => row.get(one) ?? 0);
      middles.set(id, rows.length > 0 ? rows.reduce((a, b) => a + b) / rows.length : (row.get(id) ?? 0));
    }
    ids.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0));
    note(ids, which);
  };
  for (let at = 1; at < columns.length; at += 1) sweep(at, (other) => other < at);
  for (let at = columns.length - 2; at >= 0; at -= 1) sweep(at, (other) => other > at);
  for (let at = 1; at < columns.length; at += 1) sweep(at, (other) => other < at);
}
