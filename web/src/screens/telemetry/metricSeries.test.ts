import { describe, expect, it } from "vitest";
import {
  attributeNames,
  byKind,
  linesOf,
  type MetricSeries,
  seriesNames,
  statisticsOf,
  unitOf,
  valueOf,
} from "./metricSeries";

const AT = "2026-11-17T10:00:00Z";

function series(
  service: string,
  attributes: Record<string, string>,
  value = 1,
  more: Partial<MetricSeries> = {},
): MetricSeries {
  const kind = { type: "gauge", unit: "By", temporality: null, monotonic: null } as const;
  return { service, attributes, ...kind, points: [{ at: AT, value }], ...more };
}

describe("what can be shown", () => {
  const of = (kind: Partial<MetricSeries>, points: MetricSeries["points"] = []) =>
    statisticsOf(series("a", {}, 1, kind), points)[0];
  it("of a counter is how much it grew", () =>
    expect(of({ type: "sum", monotonic: true, temporality: "CUMULATIVE" })).toBe("rate"));
  it("of differences too", () => expect(of({ type: "sum", monotonic: false, temporality: "DELTA" })).toBe("rate"));
  it("of a level is the level", () =>
    expect(of({ type: "sum", monotonic: false, temporality: "CUMULATIVE" })).toBe("value"));
  it("of a histogram is its p95", () => expect(of({ type: "exponential_histogram" })).toBe("p95"));
  it("of a summary is the quantile nearest to all", () =>
    expect(of({ type: "summary" }, [{ at: AT, quantiles: { "0.5": 1, "0.99": 2, "0.9": 3 } }])).toBe("quantile 0.99"));
});

it("figures are found, also those that are none", () => {
  expect(valueOf({ at: AT, p95: 3 }, "p95")).toBe(3);
  expect(valueOf({ at: AT, p95: null }, "p95")).toBeNull();
  expect(valueOf({ at: AT }, "p95")).toBeNull();
  expect(valueOf({ at: AT, quantiles: { "0.9": 7 } }, "quantile 0.9")).toBe(7);
});

it("a count has no unit, and a rate is one of the unit a second", () => {
  const histogram = series("a", {}, 1, { type: "histogram", unit: "s" });
  expect(unitOf(histogram, "count")).toEqual({ unit: "1", aSecond: false });
  expect(unitOf(histogram, "rate")).toEqual({ unit: "1", aSecond: true });
  expect(unitOf(histogram, "p95")).toEqual({ unit: "s", aSecond: false });
  expect(unitOf(series("a", {}, 1, { type: "sum", unit: "By" }), "rate")).toEqual({ unit: "By", aSecond: true });
});

it("only what differs is in a name", () => {
  const all = [
    series("a", { host: "x", pool: "one" }),
    series("a", { host: "x", pool: "two" }),
    series("a", { host: "x" }),
  ];
  expect(seriesNames(all, "m")).toEqual(["one", "two", "no pool"]);
  expect(seriesNames([series("a", { host: "x" })], "m")).toEqual(["m"]);
  expect(seriesNames([series("a", {}), series("b", {})], "m")).toEqual(["a", "b"]);
  expect(seriesNames([series("a", {}), series("a", {})], "m")).toEqual(["m", "m (2)"]);
  expect(seriesNames([series("a", { x: "1", y: "1" }), series("b", { x: "2", y: "2" })], "m")[1]).toBe("b · x=2 · y=2");
  expect(attributeNames(all)).toEqual(["pool", "host"]);
});

it("of very many series the strongest are drawn, in their order", () => {
  const all = [3, 9, 1, 7].map((value, at) => series("a", { n: String(at) }, value));
  const { series: drawn, hidden } = linesOf(all, "value", "m", 2);
  expect(drawn.map((one) => one.name)).toEqual(["1", "3"]);
  expect(hidden).toBe(2);
});

it("two kinds under one name are two charts", () => {
  const all = [series("a", {}), series("b", {}, 1, { unit: "1" }), series("c", {})];
  expect(byKind(all).map((kind) => kind.map((one) => one.service))).toEqual([["a", "c"], ["b"]]);
});
