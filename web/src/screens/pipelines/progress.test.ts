import { describe, expect, it } from "vitest";
import type { Run, Stage } from "./offers";
import { durationOf, inOrder, isoOf, percentOf, rejectedOf, ruleRows } from "./progress";

const stage = (name: string, more: Partial<Stage> = {}): Stage => ({
  name,
  kind: "transform",
  state: "WAITING",
  run_id: "",
  started_at: null,
  ended_at: null,
  percent: 0,
  rows: null,
  rejected: 0,
  bytes: null,
  error: "",
  rules: [],
  changes: [],
  ...more,
});
const run = (state: Run["state"], stages: Stage[]): Run => ({
  run_id: "r",
  pipeline: "p",
  namespace: "n",
  state,
  parameters: {},
  started_at: null,
  ended_at: null,
  heartbeat_at: null,
  pid: 0,
  trace_id: "",
  application_id: "",
  error: "",
  failed_stage: "",
  stages,
});
const names = (stages: Stage[]) => stages.map((one) => one.name);

describe("inOrder", () => {
  const stages = [stage("save"), stage("clean", { started_at: 20 }), stage("raw", { started_at: 10 })];
  it("goes by the definition", () => {
    const offered = ["raw", "clean", "save"].map((name) => ({ name, kind: "x", after: [] }));
    expect(names(inOrder([stage("clean"), stage("save"), stage("raw")], offered))).toEqual(["raw", "clean", "save"]);
  });
  it("goes by when stages began where the definition is another one now", () => {
    expect(names(inOrder(stages, [{ name: "other", kind: "x", after: [] }]))).toEqual(["raw", "clean", "save"]);
  });
});

describe("percentOf", () => {
  it("is the mean of the stages", () =>
    expect(percentOf(run("RUNNING", [stage("a", { state: "COMPLETE" }), stage("b", { percent: 50 })]))).toBe(75));
  it("is all only of a run that completed", () => {
    expect(percentOf(run("RUNNING", [stage("a", { state: "COMPLETE" })]))).toBe(99);
    expect(percentOf(run("COMPLETE", [stage("a", { state: "COMPLETE" })]))).toBe(100);
  });
  it("counts what was taken over, and not what was never begun", () =>
    expect(
      percentOf(
        run("FAIL", [
          stage("a", { state: "REUSED" }),
          stage("b", { state: "SKIPPED" }),
          stage("c", { state: "FAIL", percent: 50 }),
        ]),
      ),
    ).toBe(50));
  it("a run without stages has done nothing", () => expect(percentOf(run("WAITING", []))).toBe(0));
});

it("lasts until now while it runs", () => {
  expect(durationOf({ started_at: 10, ended_at: null }, 12_500)).toBe(2_500);
  expect(durationOf({ started_at: 10, ended_at: 11 }, 99_000)).toBe(1_000);
  expect(durationOf({ started_at: null, ended_at: null }, 1)).toBe(null);
  expect(isoOf(0.5)).toBe("1970-01-01T00:00:00.500Z");
});

it("broken rules stand first, and quarantined rows are counted", () => {
  const rule = (name: string, passed: boolean) => ({ name, passed, severity: "fail", broken: null, says: "" });
  const stages = [
    stage("a", { rejected: 2, rules: [rule("x", true)] }),
    stage("b", { rejected: 3, rules: [rule("y", false)] }),
  ];
  expect(ruleRows(stages).map((row) => `${row.stage} ${row.name}`)).toEqual(["b y", "a x"]);
  expect(rejectedOf(stages)).toBe(5);
});
