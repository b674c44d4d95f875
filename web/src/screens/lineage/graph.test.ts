import { describe, expect, it } from "vitest";
import {
  emptyGraph,
  addNode,
  hopsFrom,
  type LineageAnswer,
  mergeSteps,
  mergeTold,
  resolveStart,
  unionOf,
} from "./graph";
import { link, node, randomGraph } from "./random";

type Answer = LineageAnswer;

function dataset(name: string, outEdges: [string, string][] = [], aliases: string[] = []): Answer["graph"][number] {
  const at = "2026-01-01T00:00:00Z";
  return {
    id: `dataset:ns:${name}`,
    type: "DATASET",
    data: {
      id: { namespace: "ns", name },
      type: "DB_TABLE",
      name,
      physicalName: name,
      createdAt: at,
      updatedAt: at,
      namespace: "ns",
      sourceName: "default",
      fields: [],
      tags: [],
      description: null,
      lastLifecycleState: "",
      ...(aliases.length > 0 ? { aliases: aliases.map((one) => ({ namespace: "ns", name: one })) } : {}),
    },
    inEdges: [],
    outEdges: outEdges.map(([origin, destination]) => ({ id: `${origin}>${destination}`, origin, destination })),
  };
}

function job(name: string, reads: string[], writes: string[]): Answer["graph"][number] {
  const at = "2026-01-01T00:00:00Z";
  return {
    id: `job:ns:${name}`,
    type: "JOB",
    data: {
      id: { namespace: "ns", name },
      type: "BATCH",
      name,
      simpleName: name,
      parentJobName: null,
      parentJobUuid: null,
      createdAt: at,
      updatedAt: at,
      namespace: "ns",
      location: null,
      description: null,
      currentRunUuid: null,
      inputs: reads.map((one) => ({ namespace: "ns", name: one })),
      outputs: writes.map((one) => ({ namespace: "ns", name: one })),
      latestRun: null,
    },
    inEdges: [],
    outEdges: writes.map((one) => ({
      id: `${name}>${one}`,
      origin: `job:ns:${name}`,
      destination: `dataset:ns:${one}`,
    })),
  };
}

const answer = (...graph: Answer["graph"]): Answer => ({ graph, truncated: false, hidden_nodes: 0 });

describe("mergeTold", () => {
  const load = job("load", ["a"], ["b"]);
  const up = answer(dataset("a", [["dataset:ns:a", "job:ns:load"]]), load, dataset("b"));
  const told = { answer: up, start: "dataset:ns:b", direction: "upstream" as const, depth: 1 };

  it("knows the writers of all but the last datasets", () => {
    const graph = mergeTold([told]);
    expect([...graph.edges.keys()].sort()).toEqual(["dataset:ns:a\njob:ns:load", "job:ns:load\ndataset:ns:b"]);
    expect([...graph.wholeUp]).toEqual(["dataset:ns:b"]);
    expect([...graph.wholeDown]).toEqual([]);
  });

  it("says nothing of what lies beyond an answer that was cut", () => {
    const graph = mergeTold([{ ...told, answer: { ...up, truncated: true, hidden_nodes: 7 } }]);
    expect(graph.wholeUp.size).toBe(0);
    expect(graph.leftOut).toBe(7);
  });

  it("takes what two answers say once", () => {
    expect(mergeTold([told, told]).edges.size).toBe(2);
  });
});

it("an id leads to the node that has it as another name, or that both directions begin at", () => {
  const found = answer(dataset("b", [], ["lake/b"]));
  expect(resolveStart("dataset:ns:b", found, found)).toBe("dataset:ns:b");
  expect(resolveStart("dataset:ns:lake/b", found, found)).toBe("dataset:ns:b");
  expect(resolveStart("run:1", answer(dataset("a"), dataset("b")), answer(dataset("b"), dataset("c")))).toBe(
    "dataset:ns:b",
  );
});

it("hops are the least number of arrows", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const graph = randomGraph(seed);
    const [start = ""] = graph.nodes.keys();
    // Bellman and Ford's way, which shares nothing with a walk by layers.
    const least = new Map([[start, 0]]);
    for (let round = 0; round < graph.nodes.size; round += 1) {
      for (const { from, to } of graph.edges.values()) {
        const hops = (least.get(from) ?? Infinity) + 1;
        if (hops < (least.get(to) ?? Infinity)) least.set(to, hops);
      }
    }
    expect(new Map([...hopsFrom(start, graph.outOf)].sort())).toEqual(new Map([...least].sort()));
  }
});

it("two moments are one graph, and what only one of them has keeps its edges", () => {
  const before = emptyGraph();
  for (const id of ["dataset:n:a", "job:n:j", "dataset:n:b"]) addNode(before, node(id));
  link(before, "dataset:n:a", "job:n:j");
  link(before, "job:n:j", "dataset:n:b");
  const after = emptyGraph();
  for (const id of ["dataset:n:c", "job:n:j"]) addNode(after, node(id, { description: "later" }));
  link(after, "dataset:n:c", "job:n:j");
  const union = unionOf(before, after);
  expect([...union.nodes.keys()].sort()).toEqual(["dataset:n:a", "dataset:n:b", "dataset:n:c", "job:n:j"]);
  expect(union.nodes.get("job:n:j")?.description).toBe("later");
  expect(union.edges.size).toBe(3);
});

it("a graph that is put together in steps is the same, and gives way on the way", () => {
  const many = answer(...Array.from({ length: 1_200 }, (_, at) => dataset(`d${at}`)));
  const told = [{ answer: many, start: "dataset:ns:d0", direction: "upstream" as const, depth: 1 }];
  const steps = mergeSteps(told);
  let turns = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) turns += 1;
  expect(turns).toBeGreaterThan(4);
  expect(step.value).toEqual(mergeTold(told));
  expect(step.value.nodes.size).toBe(1_200);
});
