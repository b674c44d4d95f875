import { expect, it } from "vitest";
import { joined, pagesFor, withPages } from "./pages";

it("knows which pages rows stand on", () => {
  expect(pagesFor(0, 99)).toEqual([0]);
  expect(pagesFor(95, 205)).toEqual([0, 1, 2]);
});

it("asks for each page once", () => {
  const known = [0, 1];
  expect(withPages(known, [1])).toBe(known);
  expect(withPages(known, [1, 7])).toEqual([0, 1, 7]);
});

it("puts rows at their places, with holes where nothing is known", () => {
  const rows = joined([
    { page: 0, rows: ["a"] },
    { page: 1, rows: undefined },
    { page: 2, rows: ["b"] },
  ]);
  expect(rows[0]).toBe("a");
  expect(rows[200]).toBe("b");
  expect(rows[100]).toBeUndefined();
});
