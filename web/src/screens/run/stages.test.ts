import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { runsOfEvents, runsOfTrace, type Stage, stageRows, stagesOf } from "./stages";

function event(runId: string, name: string, eventType: string, second: number, parent?: string) {
  return {
    eventType,
    eventTime: new Date(second * 1000).toISOString(),
    run: { runId, facets: parent ? { parent: { run: { runId: parent } } } : {} },
    job: { namespace: "shop", name },
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
const events = [
  event("load", "daily.load", "COMPLETE", 30),
  event("check", "daily.check", "START", 31, "dag"),
  event("load", "daily.load", "START", 5, "dag"),
  event("copy", "copy", "START", 6, "load"),
  event("copy", "copy", "FAIL", 20, "load"),
  event("other", "other", "START", 7, "elsewhere"),
  { dataset: { namespace: "a", name: "b" }, eventTime: "1970-01-01T00:00:01Z" },
  "no event",
];

describe("stages", () => {
  it("are found in events of any order, parts of parts too, and nothing else", () => {
    const stages = stagesOf(whole, runsOfEvents(events).values());
    expect(stages.map(({ stage, depth }) => [stage.id, depth, stage.state])).toEqual([
      ["dag", 0, "RUNNING"],
      ["load", 1, "COMPLETED"],
      ["copy", 2, "FAILED"],
      ["check", 1, "RUNNING"],
    ]);
  });
  it("become bars, those at work until now", () => {
    const rows = stageRows(stagesOf(whole, runsOfEvents(events).values()), 60_000);
    expect(rows.map((row) => [row.name, row.start, row.length, row.open, row.failed])).toEqual([
      ["daily", 0, 60_000, true, false],
      ["load", 5_000, 25_000, false, false],
      ["copy", 6_000, 14_000, false, true],
      ["check", 31_000, 29_000, true, false],
    ]);
  });
  it("are known by their ids, however these are spelled", () => {
    const id = "0190AAAA-0000-7000-8000-00000000000F";
    const runs = runsOfEvents([event(id, "a", "START", 1), event(id.toLowerCase(), "a", "COMPLETE", 2, "Mine")]);
    expect([...runs.values()]).toMatchObject([{ id: id.toLowerCase(), parent: "Mine", state: "COMPLETED" }]);
  });
  it("that are each other's parents end somewhere", () => {
    const round = [
      event("a", "a", "START", 1, "b"),
      event("b", "b", "START", 2, "a"),
      event("b", "b", "RUNNING", 3, "dag"),
      event("a", "a", "RUNNING", 3, "b"),
      event("dag", "daily", "START", 0, "a"),
    ];
    expect(stagesOf(whole, runsOfEvents(round).values()).map(({ stage }) => stage.id)).toEqual(["dag", "b", "a"]);
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
