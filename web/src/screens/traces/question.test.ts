import { expect, it } from "vitest";
import { conditionsOf, isPlain, questionOf, withPick } from "./question";

const conditions = (text: string) => conditionsOf(questionOf(new URLSearchParams(text)));

it("an address becomes a question", () => {
  expect(
    conditions("service=shop&operation=GET+%2F&min=250&error=true&attribute=a%3Db%3Dc&attribute=d%3D&page=3"),
  ).toEqual({
    service: "shop",
    operation: "GET /",
    minDurationMs: 250,
    error: true,
    attribute: ["a=b=c", "d="],
    limit: 500,
    offset: 1000,
  });
});

it("what the hub would refuse is not asked", () => {
  const asked = conditions("min=soon&attribute=nothing&attribute=%3Dx&page=-2&error=yes");
  expect(asked).toEqual({ limit: 500, offset: 0 });
  expect(conditions("min=-5").minDurationMs).toBeUndefined();
  expect(conditions("min=1e13").minDurationMs).toBeUndefined();
  expect(isPlain(questionOf(new URLSearchParams("min=soon&page=2")))).toBe(true);
  expect(isPlain(questionOf(new URLSearchParams("error=true")))).toBe(false);
});

it("two are picked at most", () => {
  expect(withPick(["a"], "b")).toEqual(["a", "b"]);
  expect(withPick(["a", "b"], "c")).toEqual(["b", "c"]);
  expect(withPick(["a", "b"], "a")).toEqual(["b"]);
});
