import { describe, expect, it } from "vitest";
import type { Offer, Parameter } from "./offers";
import { firstValues, given, newKey, unfit } from "./parameters";

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  type: "text",
  default: null,
  description: "",
  pattern: null,
  choices: null,
  ...more,
});
const offer: Offer = {
  name: "shop",
  parameters: [
    parameter("since", { type: "date" }),
    parameter("mode", { default: "full" }),
    parameter("lake", { default: "${env:LAKE}/out" }),
  ],
};

it("a form begins with defaults; those of the environment stay empty", () => {
  expect(firstValues(offer)).toEqual({ since: "", mode: "full", lake: "" });
  expect(firstValues(offer, { since: "2026-11-01", gone: "x" })).toEqual({
    since: "2026-11-01",
    mode: "full",
    lake: "",
  });
});

it("only what differs from the definition is sent", () => {
  expect(given(offer, { since: "2026-11-01", mode: "full", lake: "" })).toEqual({ since: "2026-11-01" });
  expect(given(offer, { since: "2026-11-01", mode: "delta", lake: "/x" })).toEqual({
    since: "2026-11-01",
    mode: "delta",
    lake: "/x",
  });
});

describe("unfit", () => {
  it.each([
    [parameter("a"), "", true],
    [parameter("a", { default: "" }), "", false],
    [parameter("a", { type: "number" }), "1e5", true],
    [parameter("a", { type: "number" }), "-0.5", false],
    [parameter("a", { type: "date" }), "yesterday", true],
    [parameter("a", { type: "identifier" }), "a-b", true],
    [parameter("a", { type: "identifier" }), "a_b", false],
  ])("%o with %j: %s", (one, value, isUnfit) => expect(unfit(one, value) !== undefined).toBe(isUnfit));
});

it("keys differ", () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newKey()).not.toBe(newKey());
});
