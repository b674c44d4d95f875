import { expect, it } from "vitest";
import { changed, inSameTime } from "./asked";

it("a list is repeated, nothing is left out, the rest stays", () => {
  const before = new URLSearchParams("range=7d&service=shop&attribute=a%3D1");
  expect(changed(before, { attribute: ["b=2", "c=x y"], service: undefined, operation: "" }).toString()).toBe(
    "range=7d&attribute=b%3D2&attribute=c%3Dx+y",
  );
  expect(before.get("service")).toBe("shop");
});

it("the stretch of time goes with a link, and nothing else does", () => {
  const params = new URLSearchParams("range=7d&service=shop&pipeline=p");
  expect(inSameTime("/traces", params, { operation: "GET /" })).toBe("/traces?range=7d&operation=GET+%2F");
  expect(inSameTime("/traces", new URLSearchParams("service=shop"))).toBe("/traces");
});
