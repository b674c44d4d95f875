import { expect, it } from "vitest";
import { foundIn, type Row, sorted } from "./rows";

function row(name: string, more: Partial<Row> = {}): Row {
  const updatedAt = "2026-11-10T00:00:00Z";
  return { namespace: "n", name, fields: 1, tags: [], description: null, updatedAt, namedOnly: false, ...more };
}

it("sorts by what is asked for, then by name", () => {
  const rows = [
    row("c", { fields: 9, updatedAt: "2026-11-12T00:00:00Z" }),
    row("b", { fields: 2 }),
    row("a", { fields: 9 }),
    row("a", { namespace: "m" }),
  ];
  const names = (sort: "name" | "updated" | "fields") => sorted(rows, sort).map((one) => one.namespace + one.name);
  expect(names("name")).toEqual(["ma", "na", "nb", "nc"]);
  expect(names("updated")).toEqual(["nc", "ma", "na", "nb"]);
  expect(names("fields")).toEqual(["na", "nc", "nb", "ma"]);
});

it("says what beside the name was found", () => {
  const result = {
    type: "DATASET" as const,
    name: "orders",
    namespace: "n",
    nodeId: "dataset:n:orders",
    updatedAt: "2026-11-12T00:00:00Z",
    score: 1,
    tags: [],
    owners: [],
    use: { linked: 1, lastAt: "2026-11-12T00:00:00Z" },
    matches: [
      { field: "name" as const, value: "orders", highlight: [] },
      { field: "column" as const, value: "order_id", highlight: [[0, 5]] },
    ],
  };
  expect(foundIn(result)).toEqual({ field: "column", value: "order_id" });
  expect(foundIn({ ...result, matches: [] })).toBeUndefined();
});
