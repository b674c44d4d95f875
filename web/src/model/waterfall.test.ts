import { describe, expect, it } from "vitest";
import {
  afterKey,
  closedFrom,
  endsOf,
  openedFor,
  parentOf,
  placeOf,
  scaled,
  shownRows,
  ticksOf,
  viewOf,
  wholeOf,
} from "./waterfall";

// a ─ b ─ c
//   └ d
// e
const rows = [
  { id: "a", depth: 0, start: 0, length: 100 },
  { id: "b", depth: 1, start: 10, length: 40 },
  { id: "c", depth: 2, start: 20, length: 10 },
  { id: "d", depth: 1, start: 60, length: 30 },
  { id: "e", depth: 0, start: 100, length: 20 },
];
const ends = endsOf(rows);
const none: ReadonlySet<string> = new Set();

describe("the tree", () => {
  it("knows where each row's inside ends", () => expect(ends).toEqual([4, 3, 3, 4, 5]));
  it("hides what is inside of closed rows", () => {
    expect(shownRows(rows, ends, none)).toEqual([0, 1, 2, 3, 4]);
    expect(shownRows(rows, ends, new Set(["b"]))).toEqual([0, 1, 3, 4]);
    expect(shownRows(rows, ends, new Set(["a", "b"]))).toEqual([0, 4]);
  });
  it("closes only what has something inside", () => {
    expect([...closedFrom(rows, ends, 0)]).toEqual(["a", "b"]);
    expect([...closedFrom(rows, ends, 1)]).toEqual(["b"]);
  });
  it("finds parents", () => expect(rows.map((_, at) => parentOf(rows, at))).toEqual([undefined, 0, 1, 0, undefined]));
  it("opens all that hides a row, and nothing else", () => {
    expect([...openedFor(rows, 2, new Set(["a", "b"]))]).toEqual([]);
    expect([...openedFor(rows, 3, new Set(["a", "b"]))]).toEqual(["b"]);
  });
  it("of ten thousand rows in one another is walked through at once", () => {
    const deep = Array.from({ length: 10_000 }, (_, at) => ({ id: String(at), depth: at, start: 0, length: 1 }));
    expect(endsOf(deep).every((end) => end === 10_000)).toBe(true);
    expect(shownRows(deep, endsOf(deep), new Set(["5000"]))).toHaveLength(5001);
  });
});

describe("places", () => {
  it("are cut to the view", () => {
    expect(placeOf({ start: 0, length: 100 }, { from: 50, to: 150 })).toEqual({ left: 0, width: 50 });
    expect(placeOf({ start: 75, length: 0 }, { from: 50, to: 150 })).toEqual({ left: 25, width: 0 });
    expect(placeOf({ start: 0, length: 10 }, { from: 50, to: 150 })).toBeUndefined();
  });
  it("have a whole, also of nothing and of an instant", () => {
    expect(wholeOf(rows)).toEqual({ from: 0, to: 120 });
    expect(wholeOf([])).toEqual({ from: 0, to: 1 });
    expect(wholeOf([{ id: "x", depth: 0, start: 5, length: 0 }])).toEqual({ from: 5, to: 6 });
    expect(wholeOf([{ id: "early", depth: 0, start: -5, length: 10 }])).toEqual({ from: -5, to: 5 });
  });
  it("can be looked at closer, never beyond the whole", () => {
    const whole = { from: 0, to: 120 };
    expect(viewOf({ id: "d", depth: 1, start: 60, length: 30 }, whole)).toEqual({ from: 57, to: 93 });
    expect(scaled(whole, whole, 0.5)).toEqual({ from: 30, to: 90 });
    expect(scaled({ from: 0, to: 20 }, whole, 2)).toEqual({ from: 0, to: 40 });
    expect(scaled({ from: 30, to: 90 }, whole, 4)).toEqual(whole);
  });
});

describe("ticks", () => {
  it("are round below a second", () =>
    expect(ticksOf({ from: 0, to: 1 }, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1].map((n) => expect.closeTo(n, 9))));
  it("are those of a clock above", () => {
    expect(ticksOf({ from: 0, to: 100_000 }, 5)).toEqual([0, 30_000, 60_000, 90_000]);
    expect(ticksOf({ from: 0, to: 5 * 3_600_000 }, 6)).toEqual([0, 1, 2, 3, 4, 5].map((h) => h * 3_600_000));
  });
  it("begin in the view", () =>
    expect(ticksOf({ from: 95_000, to: 150_000 }, 6)).toEqual([100_000, 110_000, 120_000, 130_000, 140_000, 150_000]));
});

describe("keys", () => {
  const go = (key: string, at: number, closed = none) => {
    const after = afterKey(key, rows, ends, { at, closed });
    return after && [after.at, [...after.closed]];
  };
  it("go through the rows in sight", () => {
    expect(go("ArrowDown", 1, new Set(["b"]))).toEqual([3, ["b"]]);
    expect(go("ArrowUp", 3, new Set(["b"]))).toEqual([1, ["b"]]);
    expect(go("End", 0)).toEqual([4, []]);
    expect(go("ArrowDown", 4)).toEqual([4, []]);
  });
  it("open, close and go up", () => {
    expect(go("ArrowRight", 1, new Set(["b"]))).toEqual([1, []]);
    expect(go("ArrowRight", 1)).toEqual([2, []]);
    expect(go("ArrowRight", 2)).toBeUndefined();
    expect(go("ArrowLeft", 1)).toEqual([1, ["b"]]);
    expect(go("ArrowLeft", 1, new Set(["b"]))).toEqual([0, ["b"]]);
    expect(go("ArrowLeft", 2)).toEqual([1, []]);
    expect(go("x", 2)).toBeUndefined();
  });
});
