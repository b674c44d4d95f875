import { expect, it } from "vitest";
import { grown } from "./gradually";

it("a list grows by so many at a time, and what was there stays", () => {
  const items = ["a", "b", "c", "d", "e"];
  const itself = (one: string) => one;
  const first = grown(items, new Set(), itself, 2);
  expect(first).toEqual(["a", "b"]);
  expect(grown(items, new Set(first), itself, 2)).toEqual(["a", "b", "c", "d"]);
  expect(grown(["x", "e", "b", "y", "z"], new Set(items), itself, 2)).toEqual(["x", "e", "b", "y"]);
  expect(grown([], new Set(items), itself, 2)).toEqual([]);
});
