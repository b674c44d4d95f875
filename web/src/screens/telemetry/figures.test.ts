import { expect, it } from "vitest";
import {
  durationSeries,
  evenRates,
  hasTenants,
  namesToChoose,
  rateSeries,
  shareOf,
  stageKey,
  stateSeries,
} from "./figures";

const step = (at: string, completed: number, failed: number) => ({
  at,
  runs: completed + failed,
  completed,
  failed,
  aborted: 0,
  running: 0,
  successRate: completed + failed ? completed / (completed + failed) : null,
  errorRate: null,
});

const steps = [step("2026-11-17T10:00:00Z", 3, 1), step("2026-11-17T12:00:00Z", 0, 0)];

it("states that nobody was in are not shown", () => {
  expect(stateSeries({ steps }).map((one) => [one.name, one.points.map((point) => point.value)])).toEqual([
    ["completed", [3, 0]],
    ["failed", [1, 0]],
  ]);
});

it("where nothing ended there is no rate", () => {
  expect(rateSeries({ steps })[0]?.points.map((point) => point.value)).toEqual([0.75, null]);
});

it("durations are told by level, the slowest first", () => {
  const took = (p50: number) => ({ p50, p95: 2 * p50, p99: 3 * p50, mean: p50, max: 4 * p50 });
  const told = durationSeries({
    steps: [
      { at: "2026-11-17T10:00:00Z", runs: 2, durationMs: took(100) },
      { at: "2026-11-17T12:00:00Z", runs: 1, durationMs: took(10) },
    ],
  });
  expect(told.map((one) => [one.name, one.points.map((point) => point.value)])).toEqual([
    ["p99", [300, 30]],
    ["p95", [200, 20]],
    ["p50", [100, 10]],
  ]);
});

it("stages are those of the chosen pipeline", () => {
  const rows = [
    { namespace: "a", pipeline: "shop", stage: null },
    { namespace: "a", pipeline: "shop", stage: "load" },
    { namespace: "b", pipeline: "bank", stage: "check" },
    { namespace: "b", pipeline: "shop", stage: "load" },
  ];
  expect(namesToChoose(rows, null)).toEqual({ pipelines: ["bank", "shop"], stages: ["check", "load"] });
  expect(namesToChoose(rows, "shop").stages).toEqual(["load"]);
  expect(hasTenants(rows)).toBe(true);
  expect(new Set(rows.map(stageKey)).size).toBe(4);
});

it("a share of nothing is nothing", () => {
  expect(shareOf(1, 4)).toBe(0.25);
  expect(shareOf(0, 0)).toBe(0);
});

it("a step that is cut is not taken for a quiet one", () => {
  const points = [0, 60_000, 120_000].map((at) => ({ at, value: 10 }));
  const [even] = evenRates([{ name: "a", points }], 60, 30_000, 121_000);
  expect(even?.points.map((point) => point.value)).toEqual([20, 10, null]);
});
