import { describe, expect, it } from "vitest";
import { colorsOf, foundSpans, nextFound, rowsOf, type Span, spansBelow, spansShown, valueText } from "./spans";

function span(spanId: string, depth: number, more: Partial<Span> = {}): Span {
  return {
    spanId,
    parentSpanId: null,
    depth,
    offsetNs: 0,
    selfNs: 0,
    criticalNs: 0,
    name: `span ${spanId}`,
    service: "loader",
    kind: "INTERNAL",
    startedAt: "2026-11-17T10:00:00Z",
    durationNs: 2_000_000,
    status: "UNSET",
    statusMessage: "",
    runId: null,
    pipelineRunId: null,
    attributes: {},
    resourceAttributes: {},
    events: [],
    links: [],
    ...more,
  };
}

const spans = [
  span("a", 0, { criticalNs: 5 }),
  span("b", 1, { attributes: { "db.table": "Orders", rows: 7 } }),
  span("c", 2, { status: "ERROR", statusMessage: "no such table" }),
  span("d", 1, { criticalNs: 5, service: "warehouse" }),
];

describe("spansShown", () => {
  it("keeps what a failed span is inside of", () =>
    expect(spansShown(spans, "failed").map((one) => one.spanId)).toEqual(["a", "b", "c"]));
  it("keeps the critical path", () =>
    expect(spansShown(spans, "critical").map((one) => one.spanId)).toEqual(["a", "d"]));
});

it("a run's part of a trace is a tree of its own", () => {
  expect(spansBelow(spans, "b").map((one) => [one.spanId, one.depth])).toEqual([
    ["b", 0],
    ["c", 1],
  ]);
  expect(spansBelow(spans, "d").map((one) => one.spanId)).toEqual(["d"]);
  expect(spansBelow(spans, "nowhere")).toEqual([]);
});

describe("foundSpans", () => {
  it("looks for nothing without words", () => expect(foundSpans(spans, "  ")).toBeUndefined());
  it("looks into attributes, whatever the case", () =>
    expect([...(foundSpans(spans, "db.table=orders") ?? [])]).toEqual(["b"]));
  it("wants all words", () => {
    expect([...(foundSpans(spans, "span warehouse") ?? [])]).toEqual(["d"]);
    expect(foundSpans(spans, "span nowhere")?.size).toBe(0);
  });
  it("looks into messages", () => expect([...(foundSpans(spans, "such") ?? [])]).toEqual(["c"]));
});

it("goes round through what was found", () => {
  const rows = spans.map((one) => ({ id: one.spanId }));
  const found = new Set(["b", "d"]);
  expect(nextFound(rows, found, undefined, 1)).toBe("b");
  expect(nextFound(rows, found, "b", 1)).toBe("d");
  expect(nextFound(rows, found, "d", 1)).toBe("b");
  expect(nextFound(rows, found, "b", -1)).toBe("d");
  expect(nextFound(rows, new Set(), "b", 1)).toBeUndefined();
});

it("draws nanoseconds as milliseconds, a colour for each service", () => {
  const criticalPath = [
    { spanId: "a", offsetNs: 0, durationNs: 1_000_000 },
    { spanId: "a", offsetNs: 1_500_000, durationNs: 500_000 },
  ];
  const rows = rowsOf({ spans, criticalPath, services: ["loader", "warehouse"] });
  expect(rows[0]).toMatchObject({
    length: 2,
    note: "loader",
    color: "--series-1",
    critical: [
      { start: 0, length: 1 },
      { start: 1.5, length: 0.5 },
    ],
  });
  expect(rows[3]?.color).toBe("--series-2");
  expect(rows[2]?.failed).toBe(true);
});

it("uses each colour again when there are more services than colours", () =>
  expect(colorsOf(["a", "b", "c", "d", "e", "f", "g"]).get("g")).toBe("--series-1"));

it("shows values as they are", () => {
  expect(valueText("x")).toBe("x");
  expect(valueText([1, "a"])).toBe('[1,"a"]');
  expect(valueText(undefined)).toBe("");
});
