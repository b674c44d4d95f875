import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { runsOfChildren, runsOfTrace, type Stage, stageRows, stagesOf } from "./stages";

type Child = Schemas["ChildRun"];

function child(id: string, name: string, parent: string, start: number, end?: number, state = "COMPLETED"): Child {
  const text = (second: number) => new Date(second * 1000).toISOString();
  return {
    id,
    parent,
    depth: 1,
    job: { namespace: "shop", name },
    state: (end === undefined ? "RUNNING" : state) as Child["state"],
    createdAt: text(start),
    startedAt: text(start),
    endedAt: end === undefined ? null : text(end),
    durationMs: end === undefined ? null : (end - start) * 1000,
  };
}

const whole: Stage = {
  id: "dag",
  parent: undefined,
  job: { namespace: "shop", name: "daily" },
  state: "RUNNING",
  start: 0,
  end: undefined,
};
const children = [
  child("load", "daily.load", "dag", 5, 30),
  child("copy", "copy", "load", 6, 20, "FAILED"),
  child("check", "daily.check", "dag", 31),
];

describe("stages", () => {
  it("are the parts of a run, and parts of parts", () => {
    const stages = stagesOf(whole, runsOfChildren(children));
    expect(stages.map(({ stage, depth }) => [stage.id, depth, stage.state])).toEqual([
      ["dag", 0, "RUNNING"],
      ["load", 1, "COMPLETED"],
      ["copy", 2, "FAILED"],
      ["check", 1, "RUNNING"],
    ]);
  });
  it("become bars, those at work until now", () => {
    const rows = stageRows(stagesOf(whole, runsOfChildren(children)), 60_000);
    expect(rows.map((row) => [row.name, row.start, row.length, row.open, row.failed])).toEqual([
      ["daily", 0, 60_000, true, false],
      ["load", 5_000, 25_000, false, false],
      ["copy", 6_000, 14_000, false, true],
      ["check", 31_000, 29_000, true, false],
    ]);
  });
  it("that were only announced begin with the first word about them", () => {
    const announced = { ...child("later", "daily.later", "dag", 40), startedAt: null, state: "NEW" as const };
    expect(runsOfChildren([announced])).toMatchObject([{ start: 40_000, end: undefined, state: "NEW" }]);
  });
  it("are shown once, though the trace tells of them too", () => {
    const again: Stage = { ...whole, id: "copy", parent: "dag", start: 6_000, end: 20_000 };
    const stages = stagesOf(whole, [...runsOfChildren(children), again]);
    expect(stages.filter(({ stage }) => stage.id === "copy")).toMatchObject([{ depth: 2, stage: { parent: "load" } }]);
  });
});

it("a trace tells of runs that stand inside of the run's span", () => {
  const span = (spanId: string, depth: number, runId: string | null) => ({ spanId, depth, runId });
  const traced = (id: string) => ({
    id,
    job: { namespace: "shop", name: id },
    state: "COMPLETED",
    startedAt: "1970-01-01T00:00:01Z",
    endedAt: "1970-01-01T00:00:03Z",
  });
  const trace = {
    spanId: "s1",
    run: traced("dag"),
    runs: [traced("before"), traced("dag"), traced("load"), traced("after")],
    spans: [
      span("s0", 0, "before"),
      span("s1", 1, "dag"),
      span("s2", 2, "load"),
      span("s3", 3, "load"),
      span("s4", 1, "after"),
    ],
  } as unknown as Schemas["RunTrace"];
  expect(runsOfTrace(trace).map((stage) => [stage.id, stage.parent, stage.start, stage.end])).toEqual([
    ["load", "dag", 1000, 3000],
  ]);
});
