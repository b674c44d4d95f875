import { expect, it } from "vitest";
import { marksOf, mayBreak, summaryOf } from "./schema-diff";

const NOTHING = { added: [], removed: [], changed: [], moved: [], likelyRenamed: [], described: [], equal: 3 };

it("what is gone stands before what is new, words and order stand last", () => {
  const marks = marksOf({
    ...NOTHING,
    added: [{ name: "discount", type: "double" }],
    removed: [{ name: "rebate", type: null }],
    changed: [{ name: "id", from: "int", to: "long" }],
    moved: [{ name: "at", from: 3, to: 1 }],
    likelyRenamed: [{ from: "cust", to: "customer", because: ["type", "place"] }],
    described: ["id"],
  });
  expect(marks.map(({ kind, column }) => `${kind} ${column}`)).toEqual([
    "removed rebate",
    "added discount",
    "changed id",
    "renamed customer",
    "moved at",
    "described id",
  ]);
  expect(marks[3]).toMatchObject({ before: "cust", after: "customer", because: ["type", "place"] });
  expect(marks[4]).toMatchObject({ before: "3", after: "1" });
});

it("is told in a few words", () => {
  const marks = marksOf({
    ...NOTHING,
    added: [
      { name: "a", type: null },
      { name: "b", type: null },
    ],
    changed: [{ name: "c", from: "int", to: "long" }],
  });
  expect(summaryOf(marks)).toBe("2 added, 1 type changed");
  expect(summaryOf([])).toBe("nothing that is shown");
});

it("new columns, order and words break nobody", () => {
  const harmless = marksOf({
    ...NOTHING,
    added: [{ name: "a", type: null }],
    moved: [{ name: "b", from: 1, to: 2 }],
    described: ["c"],
  });
  expect(mayBreak(harmless)).toBe(false);
  expect(mayBreak(marksOf({ ...NOTHING, removed: [{ name: "a", type: null }] }))).toBe(true);
  expect(mayBreak(marksOf({ ...NOTHING, likelyRenamed: [{ from: "a", to: "b", because: ["type", "name"] }] }))).toBe(
    true,
  );
});
