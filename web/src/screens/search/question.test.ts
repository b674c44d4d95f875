import { describe, expect, it } from "vitest";
import { canAsk, narrows, parseQuestion, toParameters } from "./question";

describe("parseQuestion", () => {
  it("takes filters out of the words, wherever they stand", () => {
    expect(
      parseQuestion("orders tag:pii daily owner:team:finance ns:s3://lake is:dataset state:failed,aborted"),
    ).toEqual({
      words: "orders daily",
      tags: ["pii"],
      owners: ["team:finance"],
      namespace: "s3://lake",
      kind: "dataset",
      states: ["FAILED", "ABORTED"],
      after: undefined,
      before: undefined,
      faults: [],
    });
  });

  it("leaves colons that are part of a name", () => {
    expect(parseQuestion("s3://lake/orders pii:high")).toMatchObject({ words: "s3://lake/orders pii:high", tags: [] });
  });

  it("takes values in quotes whole", () => {
    expect(parseQuestion('ns:"my data" "daily orders"')).toMatchObject({ namespace: "my data", words: "daily orders" });
    expect(parseQuestion('tag:"half')).toMatchObject({ tags: ["half"] });
  });

  it("a filter that is being typed is neither asked for nor wrong", () => {
    expect(parseQuestion("orders tag:")).toMatchObject({ words: "orders", tags: [], faults: [] });
    expect(parseQuestion("orders is:da state:fai after:2026-1")).toMatchObject({
      kind: undefined,
      states: [],
      after: undefined,
      faults: [],
    });
    expect(parseQuestion("tag: orders")).toMatchObject({ words: "orders", tags: [] });
  });

  it("says which filter it doesn't know", () => {
    expect(parseQuestion("is:view").faults).toHaveLength(1);
    expect(parseQuestion("state:broken").faults[0]).toContain("state:broken");
  });

  it("takes days and times", () => {
    expect(parseQuestion("x after:2026-11-01 before:2026-11-02T10:00:00Z")).toMatchObject({
      after: "2026-11-01",
      before: "2026-11-02T10:00:00Z",
    });
  });
});

it("asks only what the API answers", () => {
  expect(canAsk(parseQuestion("is:job ns:shop"))).toBe(false);
  expect(narrows(parseQuestion("is:job ns:shop"))).toBe(true);
  expect(canAsk(parseQuestion("tag:pii"))).toBe(true);
  expect(canAsk(parseQuestion("   "))).toBe(false);
  expect(toParameters(parseQuestion("tag:pii"), 20)).toMatchObject({ q: undefined, tag: ["pii"], limit: 20 });
});
