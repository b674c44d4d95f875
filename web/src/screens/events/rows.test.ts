import { describe, expect, it } from "vitest";
import { keeps, producerText, rowOfEvent, rowOfMessage, withoutRepeats } from "./rows";

const sent = {
  eventTime: "2026-11-17T10:00:00Z",
  eventType: "complete",
  producer: "https://github.com/OpenLineage/OpenLineage/tree/1.0/integration/dbt/",
  run: { runId: "r1" },
  job: { namespace: "shop", name: "load_orders", facets: {} },
  inputs: [{ namespace: "pg://db", name: "raw.orders" }, { namespace: 7 }],
  outputs: null,
};

describe("rowOfEvent", () => {
  it("keeps what a row shows", () => {
    expect(rowOfEvent("e1", sent)).toEqual({
      id: "e1",
      at: "2026-11-17T10:00:00Z",
      kind: "RunEvent",
      type: "COMPLETE",
      job: { namespace: "shop", name: "load_orders" },
      dataset: undefined,
      run: "r1",
      inputs: [{ namespace: "pg://db", name: "raw.orders" }],
      outputs: [],
      inputCount: 1,
      outputCount: 0,
      producer: sent.producer,
    });
  });
  it("knows the other kinds", () => {
    expect(rowOfEvent("e", { job: { namespace: "a", name: "b" } }).kind).toBe("JobEvent");
    expect(rowOfEvent("e", { dataset: { namespace: "a", name: "b" }, run: null, job: null }).kind).toBe("DatasetEvent");
  });
});

it("a message that names some of thousands keeps their number", () => {
  expect(
    rowOfMessage({ id: "e", kind: "RunEvent", inputs: [{ namespace: "a", name: "b" }], inputsCount: 4000 }).inputCount,
  ).toBe(4000);
});

describe("keeps", () => {
  const row = rowOfEvent("e1", sent);
  it.each([
    [{ kind: "", type: "", text: "" }, true],
    [{ kind: "RunEvent", type: "COMPLETE", text: "ORDERS" }, true],
    [{ kind: "JobEvent", type: "", text: "" }, false],
    [{ kind: "", type: "FAIL", text: "" }, false],
    [{ kind: "", type: "", text: "load pg://" }, true],
    [{ kind: "", type: "", text: "load nowhere" }, false],
    [{ kind: "", type: "", text: "r1" }, true],
  ] as const)("%o: %s", (filter, kept) => expect(keeps(filter, row)).toBe(kept));
});

it("each event is shown once", () => {
  const [a, b] = [rowOfMessage({ id: "a" }), rowOfMessage({ id: "b" })];
  expect(withoutRepeats([a, b, a])).toEqual([a, b]);
});

it("says a producer shortly", () => {
  expect(producerText(sent.producer)).toBe("dbt 1.0");
  expect(producerText("https://github.com/apache/airflow/tree/providers-openlineage/2.9.1")).toBe(
    "providers-openlineage 2.9.1",
  );
  expect(producerText("https://github.com/acme/loader/tree/v3")).toBe("loader v3");
  expect(producerText("https://github.com/acme/loader/releases/tag/v3.1/")).toBe("loader v3.1");
  expect(producerText("https://github.com/acme/loader/tree/main/jobs/nightly.py")).toBe("nightly.py main");
  expect(producerText("my-etl")).toBe("my-etl");
  expect(producerText("https://data.example/etl")).toBe("data.example/etl");
});
