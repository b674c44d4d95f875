import { describe, expect, it } from "vitest";
import { agoText, durationText, millis, utcText } from "./times";

describe("millis", () => {
  it("reads nine digits of a second", () =>
    expect(millis("2026-11-17T10:00:00.123456789Z")).toBe(Date.UTC(2026, 10, 17, 10, 0, 0, 123)));
  it("reads a zone", () => expect(millis("2026-11-17T10:00:00+02:00")).toBe(Date.UTC(2026, 10, 17, 8)));
});

describe("durationText", () => {
  it.each([
    [0.0005, "500 ns"],
    [0.25, "250 µs"],
    [12.34, "12.3 ms"],
    [1400, "1.4 s"],
    [45_200, "45.2 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [7_500_000, "2 h 5 min"],
    [90_000_000, "1 d 1 h"],
    [86_400_000 + 59_000, "1 d"],
    [-2_000, "−2 s"],
  ])("%d ms is %s", (ms, text) => expect(durationText(ms)).toBe(text));
});

it("tells how long ago", () => {
  const now = Date.UTC(2026, 10, 17, 12);
  expect(agoText(now - 1_000, now)).toBe("now");
  expect(agoText(now - 200_000, now)).toBe("3 min ago");
  expect(agoText(now + 7_300_000, now)).toBe("in 2 h");
});

it("shows UTC to the millisecond it has", () => {
  expect(utcText(Date.UTC(2026, 10, 17, 8, 0, 0))).toBe("2026-11-17 08:00:00 UTC");
  expect(utcText(Date.UTC(2026, 10, 17, 8, 0, 0, 5))).toBe("2026-11-17 08:00:00.005 UTC");
});
