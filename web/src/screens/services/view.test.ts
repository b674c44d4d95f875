import { expect, it } from "vitest";
import { fitted, zoomed } from "./view";

it("a drawing that is too large is made to fit, a small one stays as it is", () => {
  const large = fitted({ width: 2000, height: 400 }, { width: 1048, height: 500 });
  expect(large.zoom).toBe(0.5);
  expect(large.x).toBe(24);
  expect(fitted({ width: 100, height: 100 }, { width: 1000, height: 500 })).toEqual({ x: 450, y: 200, zoom: 1 });
});

it("what lies under the pointer stays there", () => {
  const view = { x: 30, y: -10, zoom: 0.8 };
  const at = { x: 200, y: 120 };
  const next = zoomed(view, 1.25, at);
  expect(next.zoom).toBeCloseTo(1);
  expect((at.x - next.x) / next.zoom).toBeCloseTo((at.x - view.x) / view.zoom);
  expect((at.y - next.y) / next.zoom).toBeCloseTo((at.y - view.y) / view.zoom);
});

it("zoom has ends", () => {
  expect(zoomed({ x: 0, y: 0, zoom: 2 }, 100, { x: 0, y: 0 }).zoom).toBe(2.5);
  expect(zoomed({ x: 0, y: 0, zoom: 2 }, 0.001, { x: 0, y: 0 }).zoom).toBe(0.15);
});
