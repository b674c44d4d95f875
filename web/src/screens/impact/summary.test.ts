import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { type Affected, byNamespace, byOwner, fieldId, fileName, filtered, NOBODY, subjectOf } from "./summary";

function affected(name: string, more: Partial<Affected> & { usedAt?: string } = {}): Affected {
  const { usedAt, ...rest } = more;
  const lastUse = usedAt
    ? { at: usedAt, job: { namespace: "n", name: "j" }, runId: "r", state: "COMPLETED" as const }
    : null;
  return {
    type: "DATASET",
    namespace: "n",
    name,
    nodeId: `dataset:n:${name}`,
    distance: 1,
    owners: [],
    lastUse,
    ...rest,
  };
}

const ITEMS = [
  affected("daily", { owners: ["team:bi"], usedAt: "2026-01-01T00:00:00Z", via: "columns", columns: ["total"] }),
  affected("weekly", { owners: ["team:bi", "ada"], usedAt: "2026-01-03T00:00:00Z", via: "tables" }),
  affected("sum", { type: "JOB", nodeId: "job:m:sum", namespace: "m", usedAt: "2026-01-02T00:00:00Z", via: "columns" }),
  affected("never", {}),
];
const IMPACT: Schemas["Impact"] = {
  node: "dataset:n:orders",
  counts: { datasets: 3, jobs: 1, namespaces: 2, owners: 2, withoutOwner: 2 },
  byNamespace: [
    { namespace: "m", datasets: 0, jobs: 1 },
    { namespace: "n", datasets: 3, jobs: 0 },
  ],
  byOwner: [
    { owner: "ada", datasets: 1, jobs: 0 },
    { owner: "team:bi", datasets: 2, jobs: 0 },
    { owner: null, datasets: 1, jobs: 1 },
  ],
  affected: ITEMS,
  truncated: false,
  hidden_nodes: 0,
};

it("each group has the last use of any of its members", () => {
  expect(byOwner(IMPACT).map(({ name, lastUse }) => [name, lastUse])).toEqual([
    ["ada", "2026-01-03T00:00:00Z"],
    ["team:bi", "2026-01-03T00:00:00Z"],
    [null, "2026-01-02T00:00:00Z"],
  ]);
  expect(byNamespace(IMPACT).map(({ name, jobs, lastUse }) => [name, jobs, lastUse])).toEqual([
    ["m", 1, "2026-01-02T00:00:00Z"],
    ["n", 0, "2026-01-03T00:00:00Z"],
  ]);
});

it("filters by all that is asked for at once", () => {
  const none = { words: "", type: null, via: null, namespace: null, owner: null };
  expect(filtered(ITEMS, none)).toHaveLength(4);
  expect(filtered(ITEMS, { ...none, type: "JOB" }).map((one) => one.name)).toEqual(["sum"]);
  expect(filtered(ITEMS, { ...none, owner: "team:bi", via: "columns" }).map((one) => one.name)).toEqual(["daily"]);
  expect(filtered(ITEMS, { ...none, owner: NOBODY }).map((one) => one.name)).toEqual(["sum", "never"]);
  expect(filtered(ITEMS, { ...none, words: "TOTAL n" }).map((one) => one.name)).toEqual(["daily"]);
});

describe("subjectOf", () => {
  const dataset = {
    id: "dataset:s3://lake:a:b",
    type: "DATASET" as const,
    data: { namespace: "s3://lake", name: "a:b", fields: [{ name: "x:y" }] },
  };
  const graph = [{ id: "job:n:y", type: "JOB" as const, data: { namespace: "n", name: "y" } }, dataset];
  it("names may hold colons", () => {
    expect(subjectOf("dataset:s3://lake:a:b", graph)).toMatchObject({
      namespace: "s3://lake",
      name: "a:b",
      column: null,
      columns: ["x:y"],
    });
    expect(subjectOf(fieldId(dataset.data, "x:y"), graph)).toMatchObject({ kind: "dataset", column: "x:y" });
  });
  it("another node is not the subject", () => expect(subjectOf("job:n:x", graph)).toBeUndefined());
});

it("files have names that every system takes", () => {
  expect(fileName({ name: "/data/or ders", column: "a/b" }, "csv")).toBe("impact-or_ders-a_b.csv");
  expect(fileName({ name: "warehouse.orders", column: null }, "md")).toBe("impact-orders.md");
});
