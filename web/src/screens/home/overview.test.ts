import { describe, expect, it } from "vitest";
import { changeText, type Counted, isEmpty, rateText, runsText, stretchText, verdict } from "./overview";

const runs = { total: 34, completed: 33, failed: 0, aborted: 0, running: 1, new: 0, truncated: false };
const quiet: Counted = {
  hours: 24,
  counts: { jobs: 3, datasets: 4, namespaces: 2 },
  runs,
  failedRuns: { count: 0 },
  lateDatasets: { count: 0 },
  failingChecks: { count: 0 },
  deadLetters: 0,
  truncated: false,
};

describe("verdict", () => {
  it("says that all is quiet, and how much ran", () => {
    expect(verdict(quiet)).toEqual({ tone: "ok", sentence: "All quiet: 34 runs, none failed" });
    expect(verdict({ ...quiet, runs: { ...runs, total: 1 } }).sentence).toBe("All quiet: 1 run, and it didn't fail");
    expect(verdict({ ...quiet, hours: 168, runs: { ...runs, total: 0 } }).sentence).toBe(
      "All quiet: nothing ran in the last 7 days",
    );
  });

  it("names what needs a look, if it is of one kind, and counts it otherwise", () => {
    expect(verdict({ ...quiet, failedRuns: { count: 2 } })).toEqual({
      tone: "bad",
      sentence: "2 failed runs need a look",
    });
    expect(verdict({ ...quiet, lateDatasets: { count: 1 } }).sentence).toBe("1 late dataset needs a look");
    expect(verdict({ ...quiet, deadLetters: 1, failedRuns: { count: 2 } })).toEqual({
      tone: "bad",
      sentence: "3 things need a look",
    });
  });

  it("what only waits is no alarm", () => {
    expect(verdict({ ...quiet, deadLetters: 3 })).toEqual({ tone: "warn", sentence: "3 dead letters need a look" });
  });

  it("never says more than was looked at", () => {
    expect(verdict({ ...quiet, truncated: true }).sentence).toBe("All quiet so far: 34 runs, none failed");
    expect(verdict({ ...quiet, truncated: true, failedRuns: { count: 2 } }).sentence).toBe(
      "At least 2 failed runs need a look",
    );
  });

  it("a past moment has no dead letters to tell of", () =>
    expect(verdict({ ...quiet, deadLetters: null }).tone).toBe("ok"));
});

it("a hub is empty when nothing was ever named", () => {
  const counts = { jobs: 0, datasets: 0, namespaces: 0 };
  expect(isEmpty({ counts, events: { total: 0 } })).toBe(true);
  expect(isEmpty({ counts: { ...counts, datasets: 1 }, events: { total: 0 } })).toBe(false);
});

it("says what there is", () => {
  expect(runsText(runs)).toBe("33 completed, 1 at work");
  expect(changeText({ added: 2, removed: 0, changed: 1, renamed: 0, moved: 0, described: 0 })).toBe(
    "2 added, 1 changed",
  );
  expect([1, 24, 72, 30].map(stretchText)).toEqual([
    "the last hour",
    "the last 24 hours",
    "the last 3 days",
    "the last 30 hours",
  ]);
  expect([0, 0.25, 12.6, 4321].map(rateText)).toEqual(["0", "0.3", "13", "4,321"]);
});
