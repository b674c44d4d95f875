import { expect, it } from "vitest";
import { changeBeside, markedSteps, momentsOf, momentText, STEPS, stepOf, stretchOf } from "./timeline";

const NOW = Date.UTC(2026, 10, 18);
const stretch = stretchOf("2026-11-08T00:00:00Z", NOW);

it("reaches from the first event to the present", () => {
  expect(stepOf(Date.UTC(2026, 10, 8), stretch)).toBe(0);
  expect(stepOf(Date.UTC(2026, 10, 13), stretch)).toBe(STEPS / 2);
  expect(momentText(STEPS / 2, stretch)).toBe("2026-11-13T00:00:00.000Z");
  expect(momentText(STEPS, stretch)).toBe("");
  expect(stepOf(0, stretch)).toBe(0);
});

it("is a day where nothing happened yet", () => {
  expect(stretchOf(undefined, NOW)).toEqual({ from: NOW - 86_400_000, to: NOW });
  expect(stretchOf("2030-01-01T00:00:00Z", NOW).from).toBe(NOW - 86_400_000);
});

it("finds the change before and after a moment", () => {
  const moments = momentsOf(["2026-11-10T00:00:00Z", "2026-11-09T00:00:00Z", "2026-11-12T00:00:00Z"]);
  const at = Date.UTC(2026, 10, 10);
  expect(changeBeside(moments, at, "before")).toBe("2026-11-09T00:00:00Z");
  expect(changeBeside(moments, at, "after")).toBe("2026-11-12T00:00:00Z");
  expect(changeBeside([], at, "after")).toBeUndefined();
});

it("thousands of changes are no more marks than the slider has steps", () => {
  const times = Array.from({ length: 5_000 }, (_, at) => new Date(NOW - (at % 2_500) * 1_000).toISOString());
  const moments = momentsOf([...times, "no time"]);
  expect(moments).toHaveLength(2_500);
  expect(moments.at(-1)?.ms).toBe(NOW);
  expect(markedSteps(moments, stretch)).toEqual([997, 998, 999, 1000]);
});
