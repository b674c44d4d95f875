import { expect, it } from "vitest";
import { aboutOf, titleOf } from "./about";

const event = {
  eventType: "FAIL",
  producer: "p",
  run: { runId: "r", facets: { parent: { run: { runId: "above" }, job: { namespace: "a", name: "b" } } } },
  job: { namespace: "shop", name: "load" },
  inputs: [{ namespace: "pg", name: "raw" }, { namespace: "pg" }],
};

it("tells the run, its parent, the job and the datasets", () => {
  expect(aboutOf(event)).toMatchObject({
    kind: "run",
    type: "FAIL",
    run: "r",
    parentRun: "above",
    job: { namespace: "shop", name: "load", sentAs: undefined },
    inputs: [{ namespace: "pg", name: "raw" }],
    outputs: [],
    dataset: undefined,
  });
});

it("names are those that rules gave, with what was sent beside them", () => {
  const rules = [
    {
      kind: "dataset" as const,
      from: { namespace: "pg", name: "raw" },
      to: { namespace: "pg://db", name: "public.raw" },
    },
  ];
  expect(aboutOf(event, rules).inputs).toEqual([
    { namespace: "pg://db", name: "public.raw", sentAs: { namespace: "pg", name: "raw" } },
  ]);
});

it("an event of a dataset alone has no run and no job", () => {
  expect(aboutOf({ dataset: { namespace: "a", name: "b" } })).toMatchObject({
    kind: "dataset",
    run: null,
    job: undefined,
    dataset: { name: "b" },
  });
});

it("what isn't there does no harm", () => {
  expect(aboutOf(null)).toMatchObject({ kind: "dataset", inputs: [], parentRun: null });
});

it("says it shortly", () => {
  expect(titleOf(aboutOf(event))).toBe("load: fail");
  expect(titleOf(aboutOf({ dataset: { namespace: "a", name: "x.orders" } }))).toBe("orders: of a dataset");
  expect(titleOf(aboutOf({}))).toBe("of a dataset");
});
