import { describe, expect, it } from "vitest";
import { anchored, centreOn, firstLook, fitAll, isInSight } from "./camera";
import { curve } from "./curves";
import { matching } from "./matching";
import { nextBox } from "./moving";
import { node } from "./random";

const PANE = { width: 1000, height: 600 };
const layoutOf = (width: number, height: number) => ({
  at: new Map([["a", { x: width / 2, y: height / 2 }]]),
  ways: new Map(),
  width,
  height,
});
const BOX = { id: "a", width: 200, height: 40 };

describe("the camera", () => {
  it("shows all of a picture, never larger than life", () => {
    expect(fitAll(layoutOf(100, 100), PANE)).toEqual({ x: 450, y: 250, zoom: 1 });
    const { x, y, zoom } = fitAll(layoutOf(4_000, 100), PANE);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + 4_000 * zoom).toBeLessThanOrEqual(PANE.width);
    expect(y + 100 * zoom).toBeLessThanOrEqual(PANE.height);
  });

  it("begins at the node where all of it couldn't be read", () => {
    const far = firstLook(layoutOf(20_000, 9_000), BOX, PANE);
    expect(far.zoom).toBeGreaterThan(0.5);
    expect(isInSight({ x: 10_000, y: 4_500 }, BOX, far, PANE)).toBe(true);
    expect(firstLook(layoutOf(900, 400), BOX, PANE)).toEqual(fitAll(layoutOf(900, 400), PANE));
  });

  it("keeps a box where it is on the screen", () => {
    const view = { x: 10, y: 20, zoom: 0.5 };
    const next = anchored(view, { x: 100, y: 100 }, { x: 300, y: 50 });
    expect(300 * next.zoom + next.x).toBe(100 * view.zoom + view.x);
    expect(50 * next.zoom + next.y).toBe(100 * view.zoom + view.y);
    expect(anchored(view, undefined, { x: 1, y: 1 })).toBe(view);
  });

  it("knows what is in sight", () => {
    const view = centreOn({ x: 5_000, y: 0 }, BOX, PANE, 1);
    expect(isInSight({ x: 5_000, y: 0 }, BOX, view, PANE)).toBe(true);
    expect(isInSight({ x: 0, y: 0 }, BOX, view, PANE)).toBe(false);
  });
});

it("arrow keys follow lines, and go up and down in a layer", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 0, y: 60 }],
    ["c", { x: 300, y: 50 }],
    ["d", { x: 300, y: 500 }],
  ]);
  const lines = [
    { from: "a", to: "d" },
    { from: "a", to: "c" },
  ];
  expect(nextBox("a", "ArrowRight", places, lines)).toBe("c");
  expect(nextBox("c", "ArrowLeft", places, lines)).toBe("a");
  expect(nextBox("c", "ArrowDown", places, lines)).toBe("d");
  expect(nextBox("b", "ArrowUp", places, lines)).toBe("a");
  expect(nextBox("b", "ArrowRight", places, lines)).toBeUndefined();
  expect(nextBox("gone", "ArrowUp", places, lines)).toBeUndefined();
});

it("a line is straight, a bow, or has round corners, and ends where it should", () => {
  expect(curve([])).toBe("");
  expect(
    curve([
      { x: 0, y: 5 },
      { x: 90, y: 5 },
    ]),
  ).toBe("M0,5H90");
  expect(
    curve([
      { x: 0, y: 0 },
      { x: 100, y: 50 },
    ]),
  ).toBe("M0,0C50,0,50,50,100,50");
  const bent = curve([
    { x: 0, y: 0 },
    { x: 50, y: 0 },
    { x: 50, y: 40 },
    { x: 100, y: 40 },
  ]);
  expect(bent).toBe("M0,0L42,0Q50,0,50,8L50,32Q50,40,58,40L100,40");
});

it("every word must match somewhere", () => {
  const nodes = [
    node("dataset:warehouse:sales.orders", { tags: ["pii"], fields: [{ name: "amount", type: null }] }),
    node("job:etl:load_orders"),
  ];
  expect([...matching(nodes, "ORDERS pii", false)]).toEqual(["dataset:warehouse:sales.orders"]);
  expect([...matching(nodes, "job orders", false)]).toEqual(["job:etl:load_orders"]);
  expect([...matching(nodes, "amount", false)]).toEqual([]);
  expect([...matching(nodes, "amount", true)]).toEqual(["dataset:warehouse:sales.orders"]);
  expect(matching(nodes, "  ", false).size).toBe(0);
});
