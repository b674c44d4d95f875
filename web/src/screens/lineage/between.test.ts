import { describe, expect, it } from "vitest";
import { between } from "./between";
import { edgeKey, type Graph } from "./graph";
import { randomGraph } from "./random";

/** Every path, by trying them all; the graph has no circles. */
function allPaths(graph: Graph, from: string, to: string): string[][] {
  if (from === to) return [[to]];
  return [...(graph.outOf.get(from) ?? [])].flatMap((next) => allPaths(graph, next, to).map((path) => [from, ...path]));
}

/** Without the edges that lead back to an earlier node. */
function withoutCircles(graph: Graph): Graph {
  const place = new Map([...graph.nodes.keys()].map((id, at) => [id, at]));
  for (const { key, from, to } of [...graph.edges.values()]) {
    if ((place.get(from) ?? 0) < (place.get(to) ?? 0)) continue;
    graph.edges.delete(key);
    graph.outOf.get(from)?.delete(to);
    graph.into.get(to)?.delete(from);
  }
  return graph;
}

/** Warshall's way: each node leads to itself and to what its next ones lead to. */
function leadsTo(graph: Graph): Map<string, Set<string>> {
  const leads = new Map([...graph.nodes.keys()].map((id) => [id, new Set([id, ...(graph.outOf.get(id) ?? [])])]));
  for (const middle of leads.keys()) {
    for (const to of leads.values()) if (to.has(middle)) for (const far of leads.get(middle) ?? []) to.add(far);
  }
  return leads;
}

describe("between", () => {
  it("lights what is on a path, and only that, and finds the shortest", () => {
    let joined = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const graph = withoutCircles(randomGraph(seed, 12, 0.3));
      const ids = [...graph.nodes.keys()];
      for (const [one = "", other = ""] of [ids.slice(0, 2), [ids[1], ids[8]], [ids[11], ids[2]]]) {
        const expected = [...allPaths(graph, one, other), ...allPaths(graph, other, one)];
        const found = between(graph, one, other);
        expect(found === undefined).toBe(expected.length === 0);
        if (!found) continue;
        joined += 1;
        expect([...found.nodes].sort()).toEqual([...new Set(expected.flat())].sort());
        const edges = expected.flatMap((path) => path.slice(1).map((id, at) => edgeKey(path[at] ?? "", id)));
        expect([...found.edges].sort()).toEqual([...new Set(edges)].sort());
        expect(found.shortest.length).toBe(Math.min(...expected.map((path) => path.length)));
        expect(expected).toContainEqual(found.shortest);
      }
    }
    expect(joined).toBeGreaterThan(20);
  });

  it("goes round circles", () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const graph = randomGraph(seed, 10, 0.2);
      const [one = "", other = ""] = graph.nodes.keys();
      const leads = leadsTo(graph);
      const [from, to] = leads.get(one)?.has(other) ? [one, other] : [other, one];
      const found = between(graph, one, other);
      expect(found !== undefined).toBe(leads.get(from)?.has(to));
      if (!found) continue;
      const on = [...graph.edges.values()].filter(
        (edge) => leads.get(from)?.has(edge.from) && leads.get(edge.to)?.has(to),
      );
      expect([...found.edges].sort()).toEqual(on.map((edge) => edge.key).sort());
    }
  });
});
