import { expect, it } from "vitest";
import { PAGE, pagesOf, placed, slicesOf, totalOf } from "./slices";

const SLICES = slicesOf([
  { namespace: "a", count: 3 },
  { namespace: "none", count: 0 },
  { namespace: "b", count: 250 },
  { namespace: "c", count: 1 },
]);

it("lists follow each other without gaps", () => {
  expect(SLICES).toEqual([
    { namespace: "a", first: 0, count: 3 },
    { namespace: "b", first: 3, count: 250 },
    { namespace: "c", first: 253, count: 1 },
  ]);
  expect(totalOf(SLICES)).toBe(254);
  expect(totalOf([])).toBe(0);
});

it("what comes after an unknown count waits for it", () => {
  const slices = slicesOf([
    { namespace: "a", count: 3 },
    { namespace: "b", count: undefined },
    { namespace: "c", count: 5 },
  ]);
  expect(totalOf(slices)).toBe(3);
});

it("only pages with rows in sight are asked for", () => {
  expect(pagesOf(SLICES, 0, 2)).toEqual([{ namespace: "a", offset: 0 }]);
  expect(pagesOf(SLICES, 2, 3)).toEqual([
    { namespace: "a", offset: 0 },
    { namespace: "b", offset: 0 },
  ]);
  expect(pagesOf(SLICES, 3 + 2 * PAGE - 1, 3 + 2 * PAGE)).toEqual([
    { namespace: "b", offset: PAGE },
    { namespace: "b", offset: 2 * PAGE },
  ]);
  expect(pagesOf(SLICES, 0, 253)).toHaveLength(5);
  expect(pagesOf(SLICES, 300, 400)).toEqual([]);
});

it("every row of every page comes to the place that the hub's order gives it", () => {
  // Against the plain way: all lists written out one after the other.
  const all = [
    ...Array.from({ length: 3 }, (_, index) => `a${index}`),
    ...Array.from({ length: 250 }, (_, index) => `b${index}`),
    "c0",
  ];
  const pages = pagesOf(SLICES, 0, 253).map((page) => {
    const count = SLICES.find((slice) => slice.namespace === page.namespace)?.count ?? 0;
    const rows = Array.from(
      { length: Math.min(PAGE, count - page.offset) },
      (_, at) => `${page.namespace}${page.offset + at}`,
    );
    return { page, rows };
  });
  expect(placed(SLICES, pages)).toEqual(all);
});

it("a page that has grown since it was counted doesn't run into the next list", () => {
  const rows = ["a0", "a1", "a2", "a3"];
  expect(placed(SLICES, [{ page: { namespace: "a", offset: 0 }, rows }])).toHaveLength(3);
});
