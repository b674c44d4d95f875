import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { columnsOf, type Input, isDirect, matching, rowInputsOf, waysOf } from "./columns";

function field(name: string, more: Partial<Schemas["Field"]> = {}): Schemas["Field"] {
  return { name, type: "string", tags: [], description: null, ...more };
}

function input(dataset: string, of: string, kinds: [string, string][] = []): Input {
  const transformations = kinds.map(([type, subtype]) => ({ type, subtype, description: null, masking: null }));
  return {
    namespace: "n",
    dataset,
    field: of,
    transformationDescription: null,
    transformationType: null,
    transformations,
  };
}

const ORDERS = {
  namespace: "n",
  name: "orders",
  fields: [field("id", { type: "long", tags: ["key"] }), field("address", { type: "struct" })],
  facets: {
    schema: {
      fields: [
        { name: "id", type: "long" },
        {
          name: "address",
          type: "struct",
          fields: [{ name: "city", type: "string", description: "Where" }, { type: "no name" }, 7],
        },
      ],
    },
    tags: { tags: [{ key: "pii", value: "high", field: "address.city" }, { key: "whole", value: "true" }, null] },
  },
  columnLineage: [
    {
      name: "id",
      inputFields: [
        input("raw", "status", [["INDIRECT", "FILTER"]]),
        input("raw", "order_id", [["DIRECT", "IDENTITY"]]),
      ],
      transformationDescription: null,
      transformationType: null,
    },
    { name: "ghost", inputFields: [input("raw", "x")], transformationDescription: null, transformationType: null },
  ],
};

function node(dataset: string, of: string | null, out: string[] = [], inputs: Input[] = []): Schemas["ColumnNode"] {
  const id = of === null ? `dataset:n:${dataset}` : `datasetField:n:${dataset}:${of}`;
  return {
    id,
    type: of === null ? "DATASET" : "DATASET_FIELD",
    data: {
      namespace: "n",
      dataset,
      datasetVersion: null,
      field: of,
      fieldType: "",
      transformationDescription: null,
      transformationType: null,
      inputFields: inputs.map((one) => ({ ...one, datasetVersion: null })),
    },
    inEdges: [],
    outEdges: out.map((destination) => ({ origin: id, destination })),
  };
}

describe("columnsOf", () => {
  it("columns inside of others come after them, by their path, with their own tags and words", () => {
    const rows = columnsOf(ORDERS);
    expect(rows.map((row) => `${row.depth} ${row.path}`)).toEqual(["0 id", "0 address", "1 address.city", "0 ghost"]);
    expect(rows[2]).toMatchObject({ name: "city", description: "Where", tags: ["pii:high"], inSchema: true });
    expect(rows[0]?.tags).toEqual(["key"]);
    expect(rows[3]?.inSchema).toBe(false);
  });

  it("what goes into a value stands before what decides about it", () => {
    expect(columnsOf(ORDERS)[0]?.inputs.map((one) => one.field)).toEqual(["order_id", "status"]);
  });

  it("tells what a column feeds, and of a whole dataset that it has no field", () => {
    const graph = {
      graph: [
        node("orders", "id", ["datasetField:n:daily:orders", "dataset:n:late", "datasetField:n:cut:away"]),
        node("daily", "orders"),
        node("late", null),
      ],
    };
    expect(columnsOf(ORDERS, graph)[0]?.feeds).toEqual([
      { namespace: "n", name: "daily", field: "orders" },
      { namespace: "n", name: "late", field: "" },
    ]);
  });

  it("a facet of any shape is no reason to fail", () => {
    for (const schema of [{ fields: "none" }, { fields: [null, { name: 3 }] }, {}]) {
      expect(columnsOf({ ...ORDERS, facets: { schema } })).toHaveLength(3);
    }
  });
});

it("knows what decides about the rows", () => {
  const graph = {
    graph: [node("orders", null, [], [input("raw", "status", [["INDIRECT", "FILTER"]])]), node("raw", null)],
  };
  expect(rowInputsOf(ORDERS, graph).map((one) => one.field)).toEqual(["status"]);
  expect(rowInputsOf(ORDERS)).toEqual([]);
});

it("ways are said once, in plain letters", () => {
  const twice = input("raw", "a", [
    ["DIRECT", "TRANSFORMATION"],
    ["DIRECT", "TRANSFORMATION"],
    ["INDIRECT", "GROUP_BY"],
  ]);
  expect(waysOf(twice)).toEqual(["transformation", "group by"]);
  expect(isDirect(twice)).toBe(true);
  expect(waysOf({ ...input("raw", "a"), transformationType: "IDENTITY" })).toEqual(["identity"]);
  expect(waysOf(input("raw", "a"))).toEqual([]);
});

it("all words must be somewhere in what is shown of a column", () => {
  const rows = columnsOf(ORDERS);
  expect(matching(rows, "where STRING").map((row) => row.path)).toEqual(["address.city"]);
  expect(matching(rows, "")).toHaveLength(4);
  expect(matching(rows, "nothing")).toEqual([]);
});
