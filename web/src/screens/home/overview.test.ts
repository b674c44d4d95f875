import { describe, expect, it } from "vitest";
import { changeText, type Counted, isEmpty, rateText, runsText, stretchText, verdict } from "./overview";

const runs = { total: 34, completed: 33, failed: 0, aborted: 0, running: 1, new: 0, truncated: false };
const of = (count: number, truncated = false) => ({ count, truncated });
const quiet: Counted = {
  hours: 24,
  runs,
  failedRuns: of(0),
  lateDatasets: of(0),
  failingChecks: of(0),
  schemaChanges: of(0),
  silentProducers: of(0),
  deadLetters: 0,
};
const WRONG = [
  ["failedRuns", "failed run", "bad"],
  ["lateDatasets", "late dataset", "bad"],
  ["failingChecks", "failing check", "bad"],
  ["silentProducers", "silent producer", "warn"],
  ["deadLetters", "dead letter", "warn"],
] as const;

/** All ways in which some of these are wrong and the others aren't. */
function combinations(): (typeof WRONG)[number][][] {
  return Array.from({ length: 2 ** WRONG.length }, (_, bits) => WRONG.filter((_one, at) => bits & (1 << at)));
}

function withWrong(wrong: readonly (typeof WRONG)[number][], count: number): Counted {
  const parts = wrong.map(([name]) => [name, name === "deadLetters" ? count : of(count)]);
  return { ...quiet, ...Object.fromEntries(parts) } as Counted;
}

describe("verdict", () => {
  it("says that all is quiet, and how much ran", () => {
    expect(verdict(quiet)).toEqual({ tone: "ok", sentence: "All quiet: 34 runs, none failed" });
    expect(verdict({ ...quiet, runs: { ...runs, total: 1 } }).sentence).toBe("All quiet: 1 run, and it didn't fail");
    expect(verdict({ ...quiet, hours: 168, runs: { ...runs, total: 0 } }).sentence).toBe(
      "All quiet: nothing ran in the last 7 days",
    );
  });

  it("is quiet when nothing is wrong, and only then, in every combination", () => {
    for (const wrong of combinations()) {
      const { tone, sentence } = verdict(withWrong(wrong, 2));
      expect(sentence.startsWith("All quiet")).toBe(wrong.length === 0);
      expect(tone).toBe(wrong[0]?.[2] ?? "ok");
      if (wrong.length === 1) expect(sentence).toBe(`2 ${wrong[0]?.[1]}s need a look`);
      if (wrong.length > 1) expect(sentence).toBe(`${2 * wrong.length} things need a look`);
    }
  });

  it("says of one thing that it needs a look", () => {
    for (const one of WRONG) expect(verdict(withWrong([one], 1)).sentence).toBe(`1 ${one[1]} needs a look`);
  });

  it("never says more than was looked at", () => {
    for (const part of ["failedRuns", "lateDatasets", "failingChecks"] as const) {
      expect(verdict({ ...quiet, [part]: of(0, true) }).sentence).toBe("All quiet so far: 34 runs, none failed");
      expect(verdict({ ...quiet, [part]: of(0, true), deadLetters: 1 }).sentence).toBe(
        "At least 1 dead letter needs a look",
      );
      expect(verdict({ ...quiet, [part]: of(2, true), silentProducers: of(1) }).sentence).toBe(
        "At least 3 things need a look",
      );
    }
    expect(verdict({ ...quiet, runs: { ...runs, truncated: true } }).sentence).toContain("so far");
  });

  it("changes of schemas are told, and no alarm", () => {
    expect(verdict({ ...quiet, schemaChanges: of(2) })).toEqual({
      tone: "ok",
      sentence: "All quiet: 34 runs, none failed, 2 schema changes",
    });
    expect(verdict({ ...quiet, runs: { ...runs, total: 1 }, schemaChanges: of(1) }).sentence).toBe(
      "All quiet: 1 run, it didn't fail, 1 schema change",
    );
    expect(verdict({ ...quiet, schemaChanges: of(2), failedRuns: of(1) }).sentence).toBe("1 failed run needs a look");
    // What is cut there says nothing of what is wrong.
    expect(verdict({ ...quiet, schemaChanges: of(0, true) }).sentence).toBe("All quiet: 34 runs, none failed");
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
  const changes = { added: 2, removed: 1, changed: 1, renamed: 1, moved: 0, described: 4 };
  const told = [
    { how: "added" as const, column: "genre", before: null, after: "VARCHAR" },
    { how: "removed" as const, column: "email", before: "VARCHAR", after: null },
    { how: "changed" as const, column: "price", before: "INTEGER", after: null },
    { how: "renamed" as const, column: "total", before: "sum", after: "total" },
  ];
  expect(changeText({ ...changes, columns: told })).toBe(
    "+genre, \u2212email, price INTEGER → no type, sum → total, 1 more, 4 described",
  );
  expect(changeText({ ...changes, added: 0, removed: 0, changed: 0, renamed: 0, columns: [] })).toBe("4 described");
  expect([1, 24, 72, 30].map(stretchText)).toEqual([
    "the last hour",
    "the last 24 hours",
    "the last 3 days",
    "the last 30 hours",
  ]);
  expect([0, 0.25, 12.6, 4321].map(rateText)).toEqual(["0", "0.3", "13", "4,321"]);
});
