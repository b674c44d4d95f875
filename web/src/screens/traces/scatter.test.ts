import { expect, it } from "vitest";
import { dotAt, scatterOf, type Trace } from "./scatter";

const FROM = Date.UTC(2026, 10, 17, 10);
const TO = Date.UTC(2026, 10, 17, 11);

const trace = (minute: number, ms: number): Trace => ({
  traceId: `t${minute}`,
  name: "run",
  service: "shop",
  status: "OK",
  startedAt: new Date(FROM + minute * 60_000).toISOString(),
  durationNs: ms * 1e6,
  spanCount: 1,
  errorCount: 0,
  services: ["shop"],
  runs: [],
  runCount: 0,
});

it("earlier is left, longer is higher, and everything is within", () => {
  const { dots, left, right, top, bottom } = scatterOf(
    [trace(50, 5), trace(10, 5_000), trace(30, 0)],
    600,
    200,
    FROM,
    TO,
  );
  const [late, long, none] = dots;
  if (!late || !long || !none) throw new Error("three dots");
  expect(long.x).toBeLessThan(late.x);
  expect(long.y).toBeLessThan(late.y);
  expect(none.y).toBeGreaterThan(late.y);
  for (const dot of dots) {
    expect(dot.x).toBeGreaterThanOrEqual(left);
    expect(dot.x).toBeLessThanOrEqual(right);
    expect(dot.y).toBeGreaterThanOrEqual(top);
    expect(dot.y).toBeLessThanOrEqual(bottom);
  }
});

it("a place is what was drawn there", () => {
  const { dots, placeOf } = scatterOf([trace(15, 120)], 600, 200, FROM, TO);
  const place = placeOf(dots[0]?.x ?? 0, dots[0]?.y ?? 0);
  expect(place.at).toBeCloseTo(FROM + 15 * 60_000, -3);
  expect(place.ms).toBeCloseTo(120, 6);
});

it("an axis is labelled in units that people know, few enough to read", () => {
  const { yTicks } = scatterOf([trace(1, 0.002), trace(2, 90_000_000)], 600, 200, FROM, TO);
  expect(yTicks.length).toBeGreaterThan(2);
  expect(yTicks.length).toBeLessThanOrEqual(7);
  expect(scatterOf([trace(1, 100)], 600, 200, FROM, TO).yTicks.map((tick) => tick.text)).toEqual(["100 ms", "1 s"]);
  const long = scatterOf([trace(1, 20_000), trace(2, 500_000)], 600, 200, FROM, TO);
  expect(long.yTicks.map((tick) => tick.text)).toEqual(["10 s", "1 min", "10 min"]);
});

it("without traces there is a frame", () => {
  expect(scatterOf([], 600, 200, FROM, TO).dots).toEqual([]);
});

it("the nearest dot is found, a far one isn't", () => {
  const { dots } = scatterOf([trace(10, 10), trace(12, 10)], 600, 200, FROM, TO);
  const second = dots[1];
  if (!second) throw new Error("two dots");
  expect(dotAt(dots, second.x + 2, second.y + 1)?.trace.traceId).toBe("t12");
  expect(dotAt(dots, second.x + 200, second.y)).toBeUndefined();
});
