import { describe, expect, it } from "vitest";
import { paths, shortName, shortRun } from "./nodes";

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

it("runs are told apart by the ends of their ids", () => {
  expect(shortRun("0190aaaa-0000-7000-8000-00000badcafe")).toBe("0badcafe");
  expect(shortRun("manual__2026")).toBe("manual__2026");
  expect(shortRun("scheduled__2026-11-17T00:00:00")).toBe("scheduled__2026…");
});
