import { expect, it } from "vitest";
import { between, lastHours, RANGES } from "./stretches";

const NOW = Date.UTC(2026, 10, 17, 12, 0, 30);

it("the last hours end with the minute that has begun", () => {
  expect(lastHours(24, NOW)).toEqual({ from: "2026-11-16T12:01:00.000Z", to: "2026-11-17T12:01:00.000Z", stepS: 3600 });
});

it("every range has enough steps to see a course, and few enough to draw", () => {
  for (const { hours } of RANGES) {
    const steps = (hours * 3600) / lastHours(hours, NOW).stepS;
    expect(steps).toBeGreaterThanOrEqual(24);
    expect(steps).toBeLessThanOrEqual(72);
  }
});

it("two moments make a stretch if the first is the earlier", () => {
  expect(between("2026-11-17T10:00:00Z", "2026-11-17T10:05:00Z")?.stepS).toBe(5);
  expect(between("2026-11-17T10:05:00Z", "2026-11-17T10:00:00Z")).toBeUndefined();
  expect(between("yesterday", "2026-11-17T10:00:00Z")).toBeUndefined();
  expect(between("2026-11-17T10:00:00Z", null)).toBeUndefined();
});
