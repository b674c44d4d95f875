import { expect, it } from "vitest";
import { changed, withParams } from "./params";

const NAMES = ["100% of a+b &c", "50%25 & more", "%2F", "%", "a=b?c#d", "größe\u00a0%E4"];

it("changes what is named and keeps the rest", () => {
  expect(withParams("?tab=history&column=a", { column: "b c", tab: null })).toBe("?column=b+c");
  expect(withParams("", { q: "" })).toBe("");
});

it("a list is repeated, nothing is left out, the rest stays", () => {
  const before = new URLSearchParams("range=7d&service=shop&attribute=a%3D1");
  expect(changed(before, { attribute: ["b=2", "c=x y"], service: undefined, operation: "" }).toString()).toBe(
    "range=7d&attribute=b%3D2&attribute=c%3Dx+y",
  );
  expect(before.get("service")).toBe("shop");
});

it.each(NAMES)("the value %o is read as it was written, also after another one changed", (name) => {
  const once = withParams("?q=1", { node: name, attribute: [name, `${name}=${name}`] });
  const twice = withParams(once, { q: name });
  for (const search of [once, twice]) {
    const params = new URLSearchParams(search);
    expect(params.get("node")).toBe(name);
    expect(params.getAll("attribute")).toEqual([name, `${name}=${name}`]);
  }
  expect(new URLSearchParams(twice).get("q")).toBe(name);
});
