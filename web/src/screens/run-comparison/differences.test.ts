import { describe, expect, it } from "vitest";
import { columnLines, facetLines, hiddenCount, measured } from "./differences";

const text = (value: number) => `${value} s`;

describe("measured", () => {
  it("tells how much more, and as what share", () =>
    expect(measured({ a: 10, b: 15, equal: false, difference: 5, ratio: 1.5 }, text)).toEqual({
      a: "10 s",
      b: "15 s",
      change: "+5 s (+50 %)",
      lean: 0.5,
    }));
  it("tells less with a minus", () =>
    expect(measured({ a: 10, b: 2, equal: false, difference: -8, ratio: 0.2 }, text).change).toBe("−8 s (−80 %)"));
  it("says many times as a factor", () =>
    expect(measured({ a: 1, b: 43, equal: false, difference: 42, ratio: 43 }, text).change).toBe("+42 s (+43×)"));
  it("knows nothing of what one side doesn't tell", () =>
    expect(measured({ a: null, b: 5, equal: false }, text)).toEqual({ a: "–", b: "5 s", change: "", lean: 0 }));
  it("has no share of nothing", () =>
    expect(measured({ a: 0, b: 5, equal: false, difference: 5, ratio: null }, text)).toMatchObject({
      change: "+5 s",
      lean: 1,
    }));
  it("says the same", () =>
    expect(measured({ a: 5, b: 5, equal: true, difference: 0, ratio: 1 }, text).change).toBe("same"));
});

it("facets become a line for each value", () => {
  const facets = {
    added: [{ facet: "errorMessage", value: { message: "no" } }],
    removed: [],
    changed: [
      {
        facet: "spark",
        hidden: 3,
        equal: 2,
        differences: [{ kind: "changed" as const, path: "conf.memory", a: "1g", b: 2 }],
      },
    ],
    equal: 4,
  };
  expect(facetLines(facets)).toEqual([
    { facet: "spark", path: "conf.memory", kind: "changed", a: "1g", b: "2" },
    { facet: "errorMessage", path: "", kind: "added", a: "", b: '{"message":"no"}' },
  ]);
  expect(hiddenCount(facets)).toBe(3);
});

it("columns become a line each", () => {
  const lines = columnLines({
    added: [{ name: "vat", type: "decimal" }],
    removed: [{ name: "tax", type: null }],
    changed: [{ name: "id", from: "int", to: null }],
    moved: [{ name: "day", from: 1, to: 3 }],
    likelyRenamed: [{ from: "a", to: "b", because: ["type"] }],
    described: [],
    equal: 1,
  });
  expect(lines.map((line) => `${line.kind}: ${line.text}`)).toEqual([
    "changed: a → b (likely renamed)",
    "removed: tax",
    "added: vat decimal",
    "changed: id: int → no type",
    "changed: day moved from 1 to 3",
  ]);
});
