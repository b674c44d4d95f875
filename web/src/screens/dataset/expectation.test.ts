import { expect, it } from "vitest";
import { bodyOf, expectationText, type Form, formOf, habitText, spoken } from "./expectation";

const FORM: Form = {
  kind: "every",
  every: " 6h ",
  cron: "0 6 * * *",
  zone: "Europe/Berlin",
  tolerance: "",
  early: "2h",
};

it("sends only what belongs to the kind", () => {
  expect(bodyOf(FORM)).toEqual({ every: "6h", tolerance: undefined });
  expect(bodyOf({ ...FORM, kind: "cron", tolerance: "1h" })).toEqual({
    cron: "0 6 * * *",
    zone: "Europe/Berlin",
    tolerance: "1h",
    early: "2h",
  });
  expect(bodyOf({ ...FORM, kind: "learned", zone: "" })).toEqual({ learned: true, zone: undefined });
});

it("a form that is opened on what is expected sends the same again", () => {
  for (const expectation of [
    { every: "6h", tolerance: "36m" },
    { cron: "0 6 * * 1-5", zone: "UTC", tolerance: "1h", early: "0s" },
    { learned: true as const, zone: "Asia/Tokyo" },
  ]) {
    expect(bodyOf(formOf(expectation, "Europe/Berlin"))).toEqual(expectation);
  }
});

it("durations are said with two units at most", () => {
  expect(spoken("1d2h24m19s")).toBe("1 d 2 h");
  expect(spoken("90s")).toBe("1 min 30 s");
  expect(spoken("1w")).toBe("7 d");
  expect(spoken("0s")).toBe("0s");
});

it("is told in a sentence", () => {
  expect(expectationText({ every: "6h", tolerance: "36m" })).toBe("A write every 6 h; late 36 min after that.");
  expect(expectationText({ cron: "0 6 * * *", zone: "UTC", tolerance: "1h", early: "6h" })).toBe(
    "A write at 0 6 * * * (UTC), from 6 h before on; late 1 h after that.",
  );
  const gap = { due: "1d", late: "1d3h" };
  const habit = { gaps: { weekday: gap, weekend: { due: "2d", late: "3d" } }, learnedFrom: 20, confidence: 0.9 };
  expect(habitText({ ...habit, pattern: "every day" })).toBe("Usually a write at least every 1 d. Late after 1 d 3 h.");
  expect(habitText({ ...habit, pattern: "weekdays and weekends" })).toContain("2 d at weekends");
  expect(habitText({ ...habit, gaps: { weekday: gap }, pattern: "weekdays" })).toContain("weekends may be silent");
});
