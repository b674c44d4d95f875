// Layers enter; places and curves leave. A call over several layers gets a lane of its own between the services.
import { type Call, callKey, layered } from "./layers";

export const NODE = { width: 184, height: 70 };
const GAP_X = 128;
const GAP_Y = 18;
const LANE = 14;
const SWEEPS = 8;

interface Place {
  x: number;
  y: number;
}

export interface Placed extends Place {
  name: string;
}

export interface Drawn {
  key: string;
  path: string;
  /** Where its label stands. */
  middle: Place;
}

export interface Layout {
  nodes: Placed[];
  edges: Drawn[];
  width: number;
  height: number;
}

interface Item {
  id: string;
  name?: string;
  height: number;
  y: number;
  before: Item[];
  after: Item[];
}

interface Way {
  key: string;
  /** From left to right; a call that goes back is drawn the other way. */
  items: Item[];
  firstLayer: number;
  isBack: boolean;
}

export function layoutOf(names: string[], calls: Call[]): Layout {
  const { layers, back, alone } = layered(names, calls);
  const columns: Item[][] = layers.map((layer) => layer.map((name) => item(name, NODE.height, name)));
  const placeOf = new Map(columns.flatMap((column, layer) => column.map((one) => [one.id, { one, layer }] as const)));
  const ways: Way[] = [];
  for (const call of calls) {
    const [from, to] = [placeOf.get(call.caller), placeOf.get(call.callee)];
    if (!from || !to || from === to) continue;
    const key = callKey(call);
    const isBack = back.has(key);
    const [left, right] = isBack ? [to, from] : [from, to];
    const items = [left.one];
    for (let layer = left.layer + 1; layer < right.layer; layer++) {
      const lane = item(`${key} ${layer}`, LANE);
      columns[layer]?.push(lane);
      items.push(lane);
    }
    items.push(right.one);
    items.forEach((one, at) => {
      const next = items[at + 1];
      if (!next) return;
      one.after.push(next);
      next.before.push(one);
    });
    ways.push({ key, items, firstLayer: left.layer, isBack });
  }
  order(columns);
  place(columns);
  const height = Math.max(0, ...columns.flatMap((column) => column.map((one) => one.y + one.height / 2)));
  const nodes = columns.flatMap((column, layer) =>
    column.flatMap(({ name, y }) => (name === undefined ? [] : [{ name, x: xOf(layer), y: y - NODE.height / 2 }])),
  );
  const below = alonePlaces(alone, columns.length, height > 0 ? height + 2 * GAP_Y : 0);
  const all = [...nodes, ...below];
  return {
    nodes: all,
    edges: curves(ways),
    width: Math.max(0, ...all.map((node) => node.x + NODE.width)),
    height: Math.max(0, ...all.map((node) => node.y + NODE.height)),
  };
}

function item(id: string, height: number, name?: string): Item {
  return { id, name, height, y: 0, before: [], after: [] };
}

function xOf(layer: number): number {
  return layer * (NODE.width + GAP_X);
}

/** Each goes to the mean place of its neighbours, from left to right and back, which undoes most crossings. */
function order(columns: Item[][]): void {
  const index = new Map<Item, number>();
  const count = (column: Item[]) => column.forEach((one, at) => index.set(one, (at + 0.5) / column.length));
  columns.forEach(count);
  const mean = (items: Item[], otherwise: number) =>
    items.length === 0 ? otherwise : items.reduce((sum, one) => sum + (index.get(one) ?? 0), 0) / items.length;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const column of isForth ? columns : [...columns].reverse()) {
      const wanted = new Map(
        column.map((one) => [one, mean(isForth ? one.before : one.after, index.get(one) ?? 0)] as const),
      );
      column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      count(column);
    }
  }
}

/** One under the other around a common middle, then nearer to what they are joined with, as far as there is room. */
function place(columns: Item[][]): void {
  for (const column of columns) {
    let y = 0;
    for (const one of column) {
      one.y = y + one.height / 2;
      y += one.height + GAP_Y;
    }
    for (const one of column) one.y -= (y - GAP_Y) / 2;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const column of isForth ? columns : [...columns].reverse()) {
      const wanted = column.map((one) => {
        const near = isForth ? one.before : one.after;
        return near.length === 0 ? one.y : near.reduce((sum, other) => sum + other.y, 0) / near.length;
      });
      settle(column, wanted);
    }
  }
  const items = columns.flat();
  const top = items.reduce((least, one) => Math.min(least, one.y - one.height / 2), Infinity);
  for (const one of items) one.y -= top;
}

/** As near to the wanted places as the order and the gaps allow: pushed down, then the whole brought back. */
function settle(column: Item[], wanted: number[]): void {
  const room = (at: number) => {
    const [above, here] = [column[at - 1], column[at]];
    return above && here ? (above.height + here.height) / 2 + GAP_Y : 0;
  };
  const down = [...wanted];
  for (let at = 1; at < down.length; at++) down[at] = Math.max(down[at] ?? 0, (down[at - 1] ?? 0) + room(at));
  const up = [...wanted];
  for (let at = up.length - 2; at >= 0; at--) up[at] = Math.min(up[at] ?? 0, (up[at + 1] ?? 0) - room(at + 1));
  // The middle of two places that both keep order and gaps keeps them too.
  column.forEach((one, at) => (one.y = ((down[at] ?? 0) + (up[at] ?? 0)) / 2));
}

function alonePlaces(names: string[], layers: number, top: number): Placed[] {
  const across = Math.max(3, layers, Math.ceil(Math.sqrt(names.length)));
  return names.map((name, at) => ({
    name,
    x: (at % across) * (NODE.width + GAP_Y),
    y: top + Math.floor(at / across) * (NODE.height + GAP_Y),
  }));
}

/** Curves leave a service at its right and arrive at the left, each at a height of its own. */
function curves(ways: Way[]): Drawn[] {
  const portOf = ports(ways);
  return ways.map((way) => {
    const { key, items, firstLayer, isBack } = way;
    const points: Place[] = [];
    items.forEach((one, at) => {
      const left = xOf(firstLayer + at);
      if (at === 0) points.push({ x: left + NODE.width, y: one.y + portOf(way, "start") });
      else if (at === items.length - 1) points.push({ x: left, y: one.y + portOf(way, "end") });
      else points.push({ x: left, y: one.y }, { x: left + NODE.width, y: one.y });
    });
    return { key, path: curve(isBack ? [...points].reverse() : points), middle: labelPlace(points, isBack) };
  });
}

/** In the lane, if it has one; else nearer to the called, where curves lie further apart. */
function labelPlace(points: Place[], isBack: boolean): Place {
  const [a, b] = [points[points.length / 2 - 1], points[points.length / 2]];
  if (!a || !b) return { x: 0, y: 0 };
  if (points.length > 2) return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const t = isBack ? 0.4 : 0.6;
  const bend = 3 * t * (1 - t);
  return {
    x: a.x * (1 - t) ** 3 + ((a.x + b.x) / 2) * bend + b.x * t ** 3,
    y: a.y + (b.y - a.y) * (3 * t ** 2 - 2 * t ** 3),
  };
}

function ports(ways: Way[]): (way: Way, end: "start" | "end") => number {
  const at = new Map<string, { way: Way; end: "start" | "end"; toward: number }[]>();
  for (const way of ways) {
    const [first, last] = [way.items[0], way.items.at(-1)];
    const [second, secondLast] = [way.items[1], way.items.at(-2)];
    if (!first || !last || !second || !secondLast) continue;
    const add = (key: string, end: "start" | "end", toward: number) =>
      at.set(key, [...(at.get(key) ?? []), { way, end, toward }]);
    add(`right ${first.id}`, "start", second.y);
    add(`left ${last.id}`, "end", secondLast.y);
  }
  const offsets = new Map<string, number>();
  for (const list of at.values()) {
    list.sort((a, b) => a.toward - b.toward || Number(a.way.isBack) - Number(b.way.isBack));
    list.forEach(({ way, end }, index) => {
      const spread = Math.min(12, (NODE.height * 0.7) / list.length);
      offsets.set(`${end} ${way.key}`, (index - (list.length - 1) / 2) * spread);
    });
  }
  return (way, end) => offsets.get(`${end} ${way.key}`) ?? 0;
}

function curve(points: Place[]): string {
  return points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (!before) return `M${round(x)} ${round(y)}`;
      const bend = before.x + (x - before.x) / 2;
      return `C${round(bend)} ${round(before.y)} ${round(bend)} ${round(y)} ${round(x)} ${round(y)}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
