import { expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { inOrder, rowOf, stretchText, withPick } from "./runRows";

const interval: Schemas["Interval"] = {
  runs: 1200,
  states: { COMPLETED: 1199, FAILED: 1 },
  startedAt: "2026-11-17T08:00:00Z",
  lastStartedAt: "2026-11-17T10:00:00Z",
  updatedAt: "2026-11-17T10:00:05Z",
  durationMs: 7_205_000,
  firstRun: "a",
  lastRun: "b",
  offsets: [],
};

it("a stretch of a stream lasts from its first run to its last", () => {
  const run = {
    startedAt: "2026-11-17T10:00:00Z",
    durationMs: 5_000,
    inputDatasetVersions: [],
    outputDatasetVersions: [],
    interval,
  } as unknown as Schemas["Run"];
  expect(rowOf(run)).toMatchObject({ startedAt: interval.startedAt, durationMs: 7_205_000, rowsRead: null });
});

it("says how many batches there were", () => {
  expect(stretchText(interval)).toBe("1,200 batches: 1,199 completed, 1 failed");
  expect(stretchText({ ...interval, more: true })).toContain("1,200 or more batches");
});

it("two runs are picked, the older one first", () => {
  expect(withPick(["a"], "b")).toEqual(["a", "b"]);
  expect(withPick(["a", "b"], "c")).toEqual(["b", "c"]);
  expect(withPick(["a", "b"], "a")).toEqual(["b"]);
  expect(inOrder(["new", "old"], [{ id: "new" }, { id: "old" }])).toEqual(["old", "new"]);
});
