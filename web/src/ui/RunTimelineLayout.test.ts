import { expect, it } from "vitest";
import { apart, layOut } from "./RunTimelineLayout";

const at = (minute: number) => `2026-11-17T10:${String(minute).padStart(2, "0")}:00Z`;
const run = (id: string, minute: number, durationMs: number | null, state = "COMPLETED") => ({
  id,
  state,
  startedAt: at(minute),
  durationMs,
});
const none = { p50Ms: null, p95Ms: null };

it("stands by time, and is as high as it was long", () => {
  const layout = layOut([run("c", 40, 1000), run("b", 10, 500), run("a", 0, 250)], none, [], 0);
  expect(layout.bars.map((bar) => bar.left)).toEqual([100, 25, 0]);
  const [c = 0, b = 0, a = 0] = layout.bars.map((bar) => bar.height);
  expect(c).toBeLessThan(100);
  expect(b).toBeCloseTo(c / 2);
  expect(a).toBeCloseTo(c / 4);
});

it("a single run stands in the middle", () => expect(layOut([run("a", 5, 10)], none, [], 0).bars[0]?.left).toBe(50));

it("a run at work grows, and makes no other smaller", () => {
  const now = Date.parse(at(50));
  const layout = layOut([run("b", 40, null, "RUNNING"), run("a", 0, 60_000)], none, [], now);
  expect(layout.bars[0]).toMatchObject({ open: true, ms: 600_000, height: 100 });
  expect(layout.bars[1]?.height).toBeGreaterThan(90);
});

it("shows what is usual, and silences as far as they are in sight", () => {
  const gap = { from: "2026-11-17T09:00:00Z", to: at(20), seconds: 4800 };
  const layout = layOut([run("b", 40, 1000), run("a", 0, 800)], { p50Ms: 900, p95Ms: 2000 }, [gap], 0);
  expect(layout.band?.bottom).toBeCloseTo((900 / 2100) * 100);
  expect(layout.gaps).toEqual([{ gap, left: 0, width: 50 }]);
  expect(layout.ticks.map((tick) => tick.ms)).toEqual([0, 500, 1000, 1500, 2000]);
});

it("bars that would hide each other step aside, the others stay", () => {
  expect(apart([100, 50, 50.5, 0], 2)).toEqual([100, 50, 52, 0]);
  expect(apart([100, 99.5, 99], 2)).toEqual([100, 98, 96]);
  expect(apart([50], 2)).toEqual([50]);
});
