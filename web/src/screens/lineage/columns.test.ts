import { describe, expect, it } from "vitest";
import {
  addColumn,
  addColumnEdge,
  closureOf,
  type ColumnGraph,
  emptyColumns,
  howText,
  isIndirect,
  rowsOf,
} from "./columns";
import { dice, node } from "./random";

const DIRECT = [{ type: "DIRECT", subtype: "IDENTITY", description: "" }];
const INDIRECT = [{ type: "INDIRECT", subtype: "FILTER", description: "" }];

/** Datasets of three columns each, with edges of both kinds, some of them into whole datasets. */
function randomColumns(seed: number): ColumnGraph {
  const roll = dice(seed);
  const graph = emptyColumns();
  const ids: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    const dataset = `dataset:n:d${at}`;
    addColumn(graph, { id: dataset, dataset, of: "t", field: null, type: "" });
    ids.push(dataset);
    for (const field of ["a", "b", "c"]) {
      const id = `datasetField:n:d${at}:${field}`;
      addColumn(graph, { id, dataset, of: "t", field, type: "INT" });
      ids.push(id);
    }
  }
  for (const from of ids.filter((id) => id.startsWith("datasetField"))) {
    for (const to of ids)
      if (from !== to && roll() < 0.05) addColumnEdge(graph, from, to, roll() < 0.3 ? INDIRECT : DIRECT);
  }
  return graph;
}

/** Warshall's way: what leads where, over edges and from a whole dataset to its columns. */
function reachable(graph: ColumnGraph, directOnly: boolean): Map<string, Set<string>> {
  const leads = new Map([...graph.columns.keys()].map((id) => [id, new Set<string>()]));
  for (const edge of graph.edges.values()) if (!directOnly || !isIndirect(edge)) leads.get(edge.from)?.add(edge.to);
  for (const { id, dataset, field } of graph.columns.values()) if (field !== null) leads.get(dataset)?.add(id);
  for (const middle of leads.keys()) {
    for (const to of leads.values()) if (to.has(middle)) for (const far of leads.get(middle) ?? []) to.add(far);
  }
  return leads;
}

describe("closureOf", () => {
  it.each([false, true])("is all that leads to a column and all it leads to, values only: %s", (directOnly) => {
    for (let seed = 0; seed < 25; seed += 1) {
      const graph = randomColumns(seed);
      const leads = reachable(graph, directOnly);
      for (const { id, field } of graph.columns.values()) {
        if (field === null) continue;
        const closure = closureOf(graph, id, directOnly);
        const fields = (ids: Iterable<string>) =>
          [...ids].filter((one) => one !== id && one.startsWith("datasetField")).sort();
        expect(fields(closure.down)).toEqual(fields(leads.get(id) ?? []));
        expect(fields(closure.up)).toEqual(fields([...leads].filter(([, to]) => to.has(id)).map(([from]) => from)));
        const lit = new Set([id, ...closure.up, ...closure.down]);
        for (const key of closure.edges) for (const end of key.split("\n")) expect(lit.has(end)).toBe(true);
      }
    }
  });

  it("lights the edges on the way, and none beside it", () => {
    const graph = emptyColumns();
    for (const name of ["a", "b", "c", "x"])
      addColumn(graph, { id: name, dataset: `dataset:${name}`, of: "t", field: name, type: "" });
    addColumnEdge(graph, "a", "b", DIRECT);
    addColumnEdge(graph, "b", "c", DIRECT);
    addColumnEdge(graph, "x", "c", DIRECT);
    expect([...closureOf(graph, "b").edges].sort()).toEqual(["a\nb", "b\nc"]);
  });
});

describe("rowsOf", () => {
  const wide = node("dataset:n:t", {
    fields: Array.from({ length: 30 }, (_, at) => ({ name: `c${at}`, type: "INT" })),
  });

  it("shows first what lineage tells of, in the order of the schema", () => {
    const graph = emptyColumns();
    addColumn(graph, { id: "datasetField:n:t:c29", dataset: wide.id, of: "t", field: "c29", type: "INT" });
    addColumn(graph, { id: "datasetField:n:s:x", dataset: "dataset:n:s", of: "t", field: "x", type: "INT" });
    addColumnEdge(graph, "datasetField:n:s:x", "datasetField:n:t:c29", DIRECT);
    const rows = rowsOf(wide, graph, false);
    expect(rows.shown.map((row) => row.name)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c29"]);
    expect(rows.hidden).toBe(22);
    expect(rowsOf(wide, graph, true).shown.length).toBe(30);
  });

  it("has columns that only lineage tells of", () => {
    const graph = emptyColumns();
    addColumn(graph, { id: "datasetField:n:t:only", dataset: "dataset:n:t", of: "t", field: "only", type: "" });
    expect(rowsOf(node("dataset:n:t"), graph, false).shown.map((row) => row.name)).toEqual(["only"]);
  });
});

it("says how in plain words", () => {
  expect(howText({ type: "DIRECT", subtype: "AGGREGATION", description: "" })).toBe("direct, aggregation");
  expect(howText({ type: "", subtype: "", description: "" })).toBe("not told");
});
