import { expect, it } from "vitest";
import { withParams } from "./params";

it("changes what is named and keeps the rest", () => {
  expect(withParams("?tab=history&column=a", { column: "b c", tab: null })).toBe("?column=b+c");
  expect(withParams("", { q: "" })).toBe("");
});

it("values keep per cent signs and ampersands", () => {
  const search = withParams("?q=1", { node: "dataset:s3://lake:50%25 & more" });
  expect(new URLSearchParams(search).get("node")).toBe("dataset:s3://lake:50%25 & more");
});
