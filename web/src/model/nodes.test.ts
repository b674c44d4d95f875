import { describe, expect, it } from "vitest";
import { paths, shortName } from "./nodes";

describe("shortName", () => {
  it.each([
    ["warehouse.sales.orders", "orders"],
    ["/data/lake/orders/", "orders"],
    ["s3/day=1/file.parquet", "file.parquet"],
    ["orders", "orders"],
    ["", ""],
  ])("says %s as %s", (name, short) => expect(shortName(name)).toBe(short));
});

it("a name may hold slashes, colons and spaces", () => {
  expect(paths.dataset({ namespace: "s3://lake", name: "a b/c" })).toBe("/datasets/s3%3A%2F%2Flake/a%20b%2Fc");
});
