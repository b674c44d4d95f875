// Random graphs for tests: the same for the same seed.
import { addEdge, addNode, edgeKey, emptyGraph, type Graph, type GraphNode } from "./graph";

/** Numbers from 0 to below 1, by a linear congruential generator. */
export function dice(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

export function node(id: string, more: Partial<GraphNode> = {}): GraphNode {
  const [kind = "dataset", namespace = "", ...rest] = id.split(":");
  return {
    id,
    kind: kind === "job" ? "job" : "dataset",
    namespace,
    name: rest.join(":"),
    fields: [],
    tags: [],
    description: null,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
    run: null,
    namedOnly: false,
    deleted: false,
    aliases: [],
    reads: kind === "job" ? [] : null,
    writes: kind === "job" ? [] : null,
    ...more,
  };
}

export function link(graph: Graph, from: string, to: string): void {
  const key = edgeKey(from, to);
  addEdge(graph, { key, id: key, from, to, byColumns: false });
}

/** Datasets and jobs with edges in any direction, cycles included. */
export function randomGraph(seed: number, size = 14, density = 0.14): Graph {
  const roll = dice(seed);
  const graph = emptyGraph();
  const ids = Array.from({ length: size }, (_, at) => {
    const kind = at % 2 === 0 ? "dataset" : "job";
    return `${kind}:ns${Math.floor(roll() * 3)}:lake/${"ab"[Math.floor(roll() * 2)]}/n${at}`;
  });
  for (const id of ids) addNode(graph, node(id));
  for (const from of ids) {
    for (const to of ids) {
      if (from.startsWith("job") !== to.startsWith("job") && roll() < density) link(graph, from, to);
    }
  }
  return graph;
}
