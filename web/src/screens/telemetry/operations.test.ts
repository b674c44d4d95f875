import { expect, it } from "vitest";
import { type Operation, orderOf, outcomeSeries, quantileSeries, slowSeries, spanSeries } from "./operations";

const figures = (spans: number, errors: number, p95: number) => ({
  spans,
  errors,
  errorRate: errors / spans,
  spansPerSecond: spans,
  durationNs: { p50: p95 / 2, p95, p99: p95 * 2, mean: p95, max: p95, total: p95 * spans },
});

const operation = (name: string, counts: [string, number, number][], p95 = 10): Operation => ({
  service: "shop",
  operation: name,
  ...figures(
    counts.reduce((sum, [, spans]) => sum + spans, 0),
    0,
    p95,
  ),
  series: counts.map(([at, spans, errors]) => ({ at, ...figures(spans, errors, p95) })),
});

const [TEN, ELEVEN] = ["2026-11-17T10:00:00Z", "2026-11-17T11:00:00Z"];

it("what went wrong stands on what went well", () => {
  const series = outcomeSeries(operation("a", [[TEN, 5, 2]]));
  expect(series.map((one) => [one.name, one.points[0]?.value])).toEqual([
    ["without error", 3],
    ["errors", 2],
  ]);
  expect(outcomeSeries(operation("a", [[TEN, 5, 0]])).length).toBe(1);
});

it("stacks have their true height: what isn't named is added up", () => {
  const all = [
    operation("a", [[TEN, 9, 0]]),
    operation("b", [
      [TEN, 1, 0],
      [ELEVEN, 2, 0],
    ]),
    operation("c", [[ELEVEN, 1, 0]]),
    operation("d", [[TEN, 4, 0]]),
  ];
  const series = spanSeries(all, 3);
  expect(series.map((one) => one.name)).toEqual(["a", "d", "2 others"]);
  expect(series[2]?.points.map((point) => point.value)).toEqual([1, 3]);
  const sum = series.flatMap((one) => one.points).reduce((total, point) => total + (point.value ?? 0), 0);
  expect(sum).toBe(17);
  expect(spanSeries(all, 4).map((one) => one.name)).toEqual(["a", "d", "b", "c"]);
});

it("the slowest are shown, and quantiles of one", () => {
  const all = [operation("a", [[TEN, 1, 0]], 5), operation("b", [[TEN, 1, 0]], 50), operation("c", [[TEN, 1, 0]], 20)];
  expect(slowSeries(all, 2).map((one) => [one.name, one.points[0]?.value])).toEqual([
    ["b", 50],
    ["c", 20],
  ]);
  expect(quantileSeries(operation("a", [[TEN, 1, 0]], 8)).map((one) => one.points[0]?.value)).toEqual([4, 8, 16]);
});

it("an unknown order is the usual one", () => {
  expect(orderOf("spans")).toBe("spans");
  expect(orderOf("by magic")).toBe("p95");
  expect(orderOf(null)).toBe("p95");
});
