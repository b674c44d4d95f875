import { expect, it } from "vitest";
import { foldersOf } from "./folders";

it("folders are those of a path, or of a dotted name", () => {
  expect(foldersOf("lake/raw/orders")).toEqual(["lake", "lake/raw"]);
  expect(foldersOf("/data/orders/")).toEqual(["/data"]);
  expect(foldersOf("db.sales.orders")).toEqual(["db", "db.sales"]);
  expect(foldersOf("orders")).toEqual([]);
});
