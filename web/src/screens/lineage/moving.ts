// A box and an arrow key become the next box: along the lines to left and right, within the layer up and down.
import type { Point } from "./placing";

export type ArrowKey = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export function isArrow(key: string): key is ArrowKey {
  return key === "ArrowLeft" || key === "ArrowRight" || key === "ArrowUp" || key === "ArrowDown";
}

interface Line {
  from: string;
  to: string;
}

export function nextBox(
  at: string,
  key: ArrowKey,
  places: ReadonlyMap<string, Point>,
  lines: Iterable<Line>,
): string | undefined {
  const here = places.get(at);
  if (!here) return undefined;
  const joined = new Set<string>();
  if (key === "ArrowLeft") for (const { from, to } of lines) if (to === at && from !== at) joined.add(from);
  if (key === "ArrowRight") for (const { from, to } of lines) if (from === at && to !== at) joined.add(to);
  if (key === "ArrowUp" || key === "ArrowDown") {
    for (const [id, { x, y }] of places) {
      const isThatWay = key === "ArrowUp" ? y < here.y : y > here.y;
      if (id !== at && isThatWay && Math.abs(x - here.x) < 100) joined.add(id);
    }
  }
  const off = (id: string) => Math.abs((places.get(id)?.y ?? Infinity) - here.y);
  return [...joined].filter((id) => places.has(id)).sort((a, b) => off(a) - off(b) || (a < b ? -1 : 1))[0];
}
