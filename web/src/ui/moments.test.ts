import { describe, expect, it } from "vitest";
import {
  areWhole,
  broken,
  covered,
  durationTicks,
  heights,
  lonely,
  momentsOf,
  nearest,
  painted,
  spaced,
  tickText,
} from "./moments";

const HOUR = 3_600_000;

it("moments of several series are told once, in order", () => {
  const series = [{ points: [{ at: 3 }, { at: 1 }] }, { points: [{ at: 2 }, { at: 3 }] }];
  expect(momentsOf(series)).toEqual([1, 2, 3]);
});

it("the nearest moment is found from either side", () => {
  expect(nearest([10, 20, 40], 14)).toBe(10);
  expect(nearest([10, 20, 40], 31)).toBe(40);
  expect(nearest([10, 20, 40], -5)).toBe(10);
  expect(nearest([], 1)).toBeUndefined();
});

describe("a line", () => {
  const points = [
    { at: 0, value: 1 },
    { at: HOUR, value: 2 },
    { at: 5 * HOUR, value: 3 },
  ];
  it("breaks where steps were left out", () =>
    expect(broken(points, 3600)).toEqual([
      { at: 0, value: 1 },
      { at: HOUR, value: 2 },
      { at: 2 * HOUR, value: null },
      { at: 5 * HOUR, value: 3 },
    ]));
  it("goes on where no step is known", () => expect(broken(points)).toBe(points));
  it("shows what stands alone", () => expect(lonely(broken(points, 3600))).toEqual([{ at: 5 * HOUR, value: 3 }]));
});

it("bars stand on each other, lines beside", () => {
  const series = painted([
    {
      name: "a",
      points: [
        { at: 1, value: 2 },
        { at: 2, value: -1 },
      ],
    },
    { name: "b", points: [{ at: 1, value: 3 }] },
  ]);
  expect(heights(series, [1, 2], true)).toEqual([-1, 5]);
  expect(heights(series, [1, 2], false)).toEqual([-1, 3]);
  expect(heights(series, [1, 2], false, { name: "usual", points: [{ at: 1, low: 0, high: 9 }] })).toEqual([-1, 9]);
});

it("more series than colours are told apart by dashes", () => {
  const dashes = painted(Array.from({ length: 13 }, (_, n) => ({ name: String(n), points: [] }))).map(
    (one) => one.dash,
  );
  expect(dashes.slice(0, 6)).toEqual(Array(6).fill(undefined));
  expect(new Set(dashes).size).toBe(3);
});

it("a step that the stretch cuts counts in part", () => {
  expect(covered(0, 3600, -HOUR, 2 * HOUR)).toBe(1);
  expect(covered(0, 3600, HOUR / 4, 2 * HOUR)).toBe(0.75);
  expect(covered(HOUR, 3600, 0, 1.5 * HOUR)).toBe(0.5);
  expect(covered(3 * HOUR, 3600, 0, HOUR)).toBe(0);
});

it("counts are told from measures", () => {
  expect(
    areWhole([
      {
        name: "a",
        points: [
          { at: 1, value: 2 },
          { at: 2, value: null },
        ],
      },
    ]),
  ).toBe(true);
  expect(areWhole([{ name: "a", points: [{ at: 1, value: 2.5 }] }])).toBe(false);
});

it("a tick says the day at midnight, the month where months go by, else the time", () => {
  const midnight = +new Date(2026, 10, 17);
  expect(tickText(midnight, 24 * HOUR)).toMatch(/17/);
  expect(tickText(midnight, 24 * HOUR)).not.toMatch(/:/);
  expect(tickText(midnight + 9 * HOUR + 300_000, 24 * HOUR)).toMatch(/0?9:05/);
  expect(tickText(midnight + 30_000, HOUR / 60)).toMatch(/:30/);
  expect(tickText(+new Date(2026, 10, 1), 8760 * HOUR)).not.toMatch(/1/);
  expect(tickText(+new Date(2027, 0, 1), 8760 * HOUR)).toMatch(/2027/);
});

it("labels don't run into each other", () => {
  expect(spaced([{ x: 0 }, { x: 30 }, { x: 60 }, { x: 130 }], 60).map((tick) => tick.x)).toEqual([0, 60, 130]);
});

describe("ticks of durations", () => {
  it.each([
    [0.8, [0, 0.2, 0.4, 0.6, 0.8]],
    [700, [0, 200, 400, 600, 800]],
    [7_000, [0, 2_000, 4_000, 6_000, 8_000]],
    [100_000, [0, 30_000, 60_000, 90_000, 120_000]],
    [9 * HOUR, [0, 3 * HOUR, 6 * HOUR, 9 * HOUR]],
    [90 * 24 * HOUR, [0, 50 * 24 * HOUR, 100 * 24 * HOUR]],
    [0, [0, 1]],
  ])("up to %d ms", (top, ticks) => expect(durationTicks(top)).toEqual(ticks));
});
