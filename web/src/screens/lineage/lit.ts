// A column, a path or a filter becomes the boxes, lines and columns of the picture that are lit.
import type { Between } from "./between";
import type { Closure, ColumnGraph } from "./columns";
import type { Grouped } from "./groups";
import type { Lit } from "./lighting";
import type { Scene } from "./scene";

const NONE: ReadonlySet<string> = new Set();

export function litByColumn(closure: Closure, columns: ColumnGraph, grouped: Grouped, scene: Scene): Lit {
  const lit = new Set([closure.start, ...closure.up, ...closure.down]);
  const boxes = new Set<string>();
  for (const id of lit) {
    const dataset = columns.columns.get(id)?.dataset;
    const box = dataset === undefined ? undefined : grouped.boxOf.get(dataset);
    if (box !== undefined) boxes.add(box);
  }
  const lines = new Set<string>();
  for (const line of scene.lines.values()) {
    if (line.kind === "column" && line.of.some((key) => closure.edges.has(key))) lines.add(line.id);
  }
  return { boxes, lines, columns: lit };
}

export function litByPath({ nodes, edges }: Between, grouped: Grouped, scene: Scene): Lit {
  const boxes = new Set([...nodes].flatMap((id) => grouped.boxOf.get(id) ?? []));
  const lines = new Set<string>();
  for (const line of scene.lines.values()) {
    if (line.kind === "table" && line.of.some((key) => edges.has(key))) lines.add(line.id);
  }
  return { boxes, lines, columns: NONE };
}

export function litByFilter(matches: ReadonlySet<string>, grouped: Grouped, scene: Scene): Lit {
  const boxes = new Set([...matches].flatMap((id) => grouped.boxOf.get(id) ?? []));
  const lines = new Set<string>();
  for (const line of scene.lines.values()) if (boxes.has(line.from) && boxes.has(line.to)) lines.add(line.id);
  return { boxes, lines, columns: NONE };
}
