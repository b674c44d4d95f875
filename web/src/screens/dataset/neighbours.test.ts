import { expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { neighboursOf } from "./neighbours";

const AT = "2026-01-01T00:00:00Z";

function job(name: string): Schemas["JobNode"] {
  const data = {
    id: { namespace: "n", name },
    type: "BATCH",
    name,
    simpleName: name,
    parentJobName: null,
    parentJobUuid: null,
    createdAt: AT,
    updatedAt: AT,
    namespace: "n",
    location: null,
    description: null,
    currentRunUuid: null,
    inputs: [],
    outputs: [],
    latestRun: null,
  };
  return { id: `job:n:${name}`, type: "JOB", data, inEdges: [], outEdges: [] };
}

function dataset(name: string, from: string[], to: string[]) {
  const id = `dataset:n:${name}`;
  const edge = (origin: string, destination: string) => ({ id: `${origin} ${destination}`, origin, destination });
  return {
    id,
    type: "DATASET" as const,
    inEdges: from.map((one) => edge(`job:n:${one}`, id)),
    outEdges: to.map((one) => edge(id, `job:n:${one}`)),
  };
}

it("tells writers from readers; a job may be both, and others in the graph are neither", () => {
  const graph = [
    dataset("orders", ["load", "mend"], ["mend", "gone", "daily"]),
    job("mend"),
    job("load"),
    job("daily"),
    job("far"),
    dataset("raw", [], ["load"]),
  ];
  const { producers, consumers } = neighboursOf(graph, { namespace: "n", name: "orders" });
  expect(producers.map((one) => one.data.name)).toEqual(["load", "mend"]);
  expect(consumers.map((one) => one.data.name)).toEqual(["daily", "mend"]);
  expect(neighboursOf([], { namespace: "n", name: "orders" })).toEqual({ producers: [], consumers: [] });
});
