import { expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { changesOf, marksWithin, schemaText } from "./marks";

const NOTHING: Schemas["LineageDiff"] = {
  from: "2026-01-01T00:00:00Z",
  to: "now",
  nodes: { added: [], removed: [] },
  edges: { added: [], removed: [] },
  columns: { added: [], removed: [] },
  schemas: [],
};

it("what both directions say counts once", () => {
  const schema = {
    dataset: "dataset:n:t",
    added: ["x"],
    removed: ["y"],
    changed: [{ name: "z", from: "INT", to: "" }],
  };
  const answer = {
    ...NOTHING,
    nodes: { added: ["dataset:n:new"], removed: ["job:n:old"] },
    edges: { added: [{ origin: "a", destination: "b" }], removed: [] },
    columns: { added: [], removed: [{ origin: "c", destination: "d" }] },
    schemas: [schema],
  };
  const changes = changesOf([answer, answer, NOTHING]);
  expect([...changes.nodes]).toEqual([
    ["dataset:n:new", "added"],
    ["job:n:old", "removed"],
    ["dataset:n:t", "changed"],
  ]);
  expect([...changes.edges]).toEqual([["a\nb", "added"]]);
  expect(changes.columns).toEqual([{ mark: "removed", from: "c", to: "d" }]);
  expect(changes.counts).toEqual({ added: 2, removed: 1, changed: 1 });
  expect(schemaText(schema)).toBe("+x, −y, ~z: INT → no type");
  expect(marksWithin(["dataset:n:new", "dataset:n:same"], changes.nodes)).toBe(1);
});

it("a dataset that is new isn't changed as well", () => {
  const schema = { dataset: "dataset:n:t", added: ["x"], removed: [], changed: [] };
  const changes = changesOf([{ ...NOTHING, nodes: { added: ["dataset:n:t"], removed: [] }, schemas: [schema] }]);
  expect(changes.nodes.get("dataset:n:t")).toBe("added");
});
