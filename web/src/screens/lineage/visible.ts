// A graph and how far to look become the nodes of the picture, and how many more each node at the rim has.
import { type Direction, type Graph, hopsFrom, type Kind } from "./graph";

export interface More {
  direction: Direction;
  node: string;
}

export interface Asked {
  start: string;
  up: number;
  down: number;
  more: More[];
  /** Shown wherever they stand, such as the nodes of a path. */
  also?: Iterable<string>;
}

export interface Rim {
  up: Map<string, number>;
  down: Map<string, number>;
}

/** A step is a job and the datasets on its far side; a job's own datasets are its first step. */
export function hopsOf(kind: Kind, steps: number): number {
  return kind === "dataset" ? 2 * steps : Math.max(0, 2 * steps - 1);
}

/** What to ask the hub for to see so many steps, and to count what comes one step after them. */
export function depthOf(kind: Kind, steps: number): number {
  return kind === "dataset" ? steps + 1 : steps;
}

export function kindOf(id: string): Kind {
  return id.startsWith("job:") || id.startsWith("run:") ? "job" : "dataset";
}

export function visibleNodes(graph: Graph, { start, up, down, more, also = [] }: Asked): Set<string> {
  const seen = new Set<string>();
  const reach = (from: string, direction: Direction, steps: number) => {
    if (!graph.nodes.has(from)) return;
    const next = direction === "upstream" ? graph.into : graph.outOf;
    for (const id of hopsFrom(from, next, hopsOf(kindOf(from), steps)).keys()) seen.add(id);
  };
  reach(start, "upstream", up);
  reach(start, "downstream", down);
  // In the order in which they were opened: one may stand on what another brought.
  for (const { direction, node } of more) if (seen.has(node)) reach(node, direction, 1);
  for (const id of also) if (graph.nodes.has(id)) seen.add(id);
  return seen;
}

/** How many neighbours of each node aren't shown; nothing is said of datasets that weren't looked beyond. */
export function rimOf(graph: Graph, shown: ReadonlySet<string>): Rim {
  const rim: Rim = { up: new Map(), down: new Map() };
  for (const id of shown) {
    const node = graph.nodes.get(id);
    if (!node) continue;
    const isJob = node.kind === "job";
    const up = isJob || graph.wholeUp.has(id) ? countHidden(graph.into.get(id), node.reads, shown) : 0;
    const down = isJob || graph.wholeDown.has(id) ? countHidden(graph.outOf.get(id), node.writes, shown) : 0;
    if (up > 0) rim.up.set(id, up);
    if (down > 0) rim.down.set(id, down);
  }
  return rim;
}

function countHidden(known: Set<string> | undefined, named: string[] | null, shown: ReadonlySet<string>): number {
  const all = new Set([...(known ?? []), ...(named ?? [])]);
  let hidden = 0;
  for (const id of all) if (!shown.has(id)) hidden += 1;
  return hidden;
}
