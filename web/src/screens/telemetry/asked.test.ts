import { expect, it } from "vitest";
import { inSameTime } from "./asked";

it("the stretch of time goes with a link, and nothing else does", () => {
  const params = new URLSearchParams("range=7d&service=shop&pipeline=p");
  expect(inSameTime("/traces", params, { operation: "GET /" })).toBe("/traces?range=7d&operation=GET+%2F");
  expect(inSameTime("/traces", new URLSearchParams("service=shop"))).toBe("/traces");
});
