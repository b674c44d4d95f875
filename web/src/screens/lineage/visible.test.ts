import { describe, expect, it } from "vitest";
import { addNode, emptyGraph } from "./graph";
import { link, node, randomGraph } from "./random";
import { depthOf, hopsOf, rimOf, visibleNodes } from "./visible";

/** a → j1 → b → j2 → c → j3 → d, of which j2 also writes x. */
function chain() {
  const graph = emptyGraph();
  const ids = ["dataset:n:a", "job:n:j1", "dataset:n:b", "job:n:j2", "dataset:n:c", "job:n:j3", "dataset:n:d"];
  for (const id of ids) addNode(graph, node(id, id === "job:n:j2" ? { writes: ["dataset:n:c", "dataset:n:x"] } : {}));
  for (let at = 1; at < ids.length; at += 1) link(graph, ids[at - 1] ?? "", ids[at] ?? "");
  for (const id of ids) {
    graph.wholeUp.add(id);
    graph.wholeDown.add(id);
  }
  return graph;
}

const names = (ids: Iterable<string>) => [...ids].map((id) => id.split(":")[2]).sort();

describe("visibleNodes", () => {
  it("goes so many jobs and their datasets each way", () => {
    const graph = chain();
    expect(names(visibleNodes(graph, { start: "dataset:n:b", up: 1, down: 1, more: [] }))).toEqual([
      "a",
      "b",
      "c",
      "j1",
      "j2",
    ]);
    expect(names(visibleNodes(graph, { start: "dataset:n:b", up: 0, down: 1, more: [] }))).toEqual(["b", "c", "j2"]);
    expect(names(visibleNodes(graph, { start: "job:n:j2", up: 1, down: 1, more: [] }))).toEqual(["b", "c", "j2"]);
  });

  it("opens a node at the rim by one step, and what that brought as well", () => {
    const graph = chain();
    const asked = { start: "dataset:n:a", up: 0, down: 1 };
    const more = [
      { direction: "downstream" as const, node: "dataset:n:b" },
      { direction: "downstream" as const, node: "dataset:n:c" },
    ];
    expect(names(visibleNodes(graph, { ...asked, more }))).toEqual(["a", "b", "c", "d", "j1", "j2", "j3"]);
    expect(names(visibleNodes(graph, { ...asked, more: more.slice(1) }))).toEqual(["a", "b", "j1"]);
  });

  it("is what brute force finds on random graphs", () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const graph = randomGraph(seed);
      const [start = ""] = graph.nodes.keys();
      const reach = (from: string, left: number, next: Map<string, Set<string>>, seen: Set<string>) => {
        seen.add(from);
        if (left > 0) for (const to of next.get(from) ?? []) reach(to, left - 1, next, seen);
      };
      const expected = new Set<string>();
      reach(start, 4, graph.into, expected);
      reach(start, 2, graph.outOf, expected);
      expect([...visibleNodes(graph, { start, up: 2, down: 1, more: [] })].sort()).toEqual([...expected].sort());
    }
  });
});

describe("rimOf", () => {
  it("counts exactly what isn't shown, also what only a job tells of", () => {
    const graph = chain();
    const shown = visibleNodes(graph, { start: "dataset:n:c", up: 1, down: 0, more: [] });
    const rim = rimOf(graph, shown);
    expect(names(shown)).toEqual(["b", "c", "j2"]);
    expect([...rim.up]).toEqual([["dataset:n:b", 1]]);
    expect([...rim.down].sort()).toEqual([
      ["dataset:n:c", 1],
      ["job:n:j2", 1],
    ]);
  });

  it("says nothing of datasets that weren't looked beyond", () => {
    const graph = chain();
    graph.wholeUp.clear();
    expect(rimOf(graph, new Set(["dataset:n:b"])).up.size).toBe(0);
  });
});

it("one step more is asked for than is shown", () => {
  expect([hopsOf("dataset", 3), hopsOf("job", 3), hopsOf("job", 0)]).toEqual([6, 5, 0]);
  expect([depthOf("dataset", 3), depthOf("job", 3)]).toEqual([4, 3]);
});
