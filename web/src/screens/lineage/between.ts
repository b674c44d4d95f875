// Two nodes become all that stands on a way between them along the arrows, and the shortest way.
import { edgeKey, type Graph, hopsFrom } from "./graph";

export interface Between {
  /** The node that the arrows lead away from; either of the two. */
  from: string;
  to: string;
  nodes: Set<string>;
  /** Keys of edges. */
  edges: Set<string>;
  /** From one to the other, both included. */
  shortest: string[];
}

/** Whichever way the arrows lead; undefined if none leads from one to the other. */
export function between(graph: Graph, one: string, other: string): Between | undefined {
  return along(graph, one, other) ?? along(graph, other, one);
}

function along(graph: Graph, from: string, to: string): Between | undefined {
  const reached = hopsFrom(from, graph.outOf);
  if (!graph.nodes.has(from) || !reached.has(to)) return undefined;
  const leading = hopsFrom(to, graph.into);
  const nodes = new Set([...reached.keys()].filter((id) => leading.has(id)));
  const edges = new Set<string>();
  for (const id of nodes) {
    for (const next of graph.outOf.get(id) ?? []) if (nodes.has(next)) edges.add(edgeKey(id, next));
  }
  const shortest = [from];
  for (let at = from; at !== to;) {
    const left = leading.get(at) ?? 0;
    const next = [...(graph.outOf.get(at) ?? [])].filter((id) => leading.get(id) === left - 1).sort()[0];
    if (next === undefined) break;
    shortest.push(next);
    at = next;
  }
  return { from, to, nodes, edges, shortest };
}
