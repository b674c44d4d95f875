import { expect, it } from "vitest";
import { layersOf, place } from "./placing";
import { randomGraph } from "./random";

it("lines lead to the right, but for those that close a circle", () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const graph = randomGraph(seed, 16, 0.1);
    const ids = [...graph.nodes.keys()];
    const at = new Map(ids.map((id, index) => [id, index]));
    const forward = [...graph.edges.values()].filter(({ from, to }) => (at.get(from) ?? 0) < (at.get(to) ?? 0));
    // Edges from an earlier id to a later one close no circle.
    const layers = layersOf(ids, forward);
    for (const { from, to } of forward) expect(layers.get(from)).toBeLessThan(layers.get(to) ?? 0);
    expect([...layersOf(ids, graph.edges.values()).values()].every((layer) => layer >= 0)).toBe(true);
  }
});

it("no two boxes lie over each other, and every line has its ends at them", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const graph = randomGraph(seed, 24, 0.08);
    const boxes = [...graph.nodes.keys()].map((id, at) => ({ id, width: 200, height: 40 + (at % 3) * 50 }));
    const lines = [...graph.edges.values()].map(({ key, from, to }) => ({ id: key, from, to, fromY: 20, toY: 20 }));
    const { at, ways, width, height } = place(boxes, lines);
    for (const one of boxes) {
      const a = at.get(one.id) ?? { x: NaN, y: NaN };
      expect(a.x + one.width).toBeLessThanOrEqual(width);
      expect(a.y + one.height).toBeLessThanOrEqual(height);
      for (const other of boxes) {
        const b = at.get(other.id) ?? { x: NaN, y: NaN };
        const apart =
          a.x + one.width <= b.x || b.x + other.width <= a.x || a.y + one.height <= b.y || b.y + other.height <= a.y;
        if (one !== other) expect(apart).toBe(true);
      }
    }
    for (const { id, from, to } of lines) {
      const [start, end] = [at.get(from), at.get(to)];
      expect(ways.get(id)).toEqual([
        { x: (start?.x ?? 0) + 200, y: (start?.y ?? 0) + 20 },
        { x: end?.x, y: (end?.y ?? 0) + 20 },
      ]);
    }
  }
});

it("what nothing feeds stands right before what it feeds", () => {
  const ids = ["a", "b", "c", "late"];
  const lines = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "late", to: "c" },
  ];
  expect(Object.fromEntries(layersOf(ids, lines))).toEqual({ a: 0, b: 1, c: 2, late: 1 });
});

it("an empty graph has no size", () => {
  expect(place([], [])).toMatchObject({ width: 0, height: 0 });
});
