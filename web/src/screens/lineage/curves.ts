// The points of a line become the text of an SVG path.
import type { Point } from "./placing";

const CORNER = 8;

const round = (value: number) => Math.round(value * 10) / 10;

/** Two points become a bow, more of them straight parts with round corners. */
export function curve(points: Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return "";
  const start = `M${round(first.x)},${round(first.y)}`;
  if (rest.length === 1) {
    if (Math.abs(first.y - last.y) < 1 && last.x > first.x) return `${start}H${round(last.x)}`;
    const reach = Math.max(40, Math.abs(last.x - first.x) / 2);
    const bow = [first.x + reach, first.y, last.x - reach, last.y, last.x, last.y].map(round);
    return `${start}C${bow.join(",")}`;
  }
  let path = start;
  for (let at = 1; at < points.length - 1; at += 1) {
    const [before, corner, after] = [points[at - 1], points[at], points[at + 1]];
    if (!before || !corner || !after) continue;
    const into = towards(corner, before);
    const out = towards(corner, after);
    path += `L${round(into.x)},${round(into.y)}Q${round(corner.x)},${round(corner.y)},${round(out.x)},${round(out.y)}`;
  }
  return `${path}L${round(last.x)},${round(last.y)}`;
}

/** A corner's width away from one point in the direction of another, at most half of the way. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(CORNER, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
