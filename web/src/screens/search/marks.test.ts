import { expect, it } from "vitest";
import { foundIn, marked } from "./marks";

const text = (pieces: { text: string; hit: boolean }[]) =>
  pieces.map((one) => (one.hit ? `[${one.text}]` : one.text)).join("");

it("marks what words hit, and joins what touches", () => {
  expect(text(marked("orders_daily", [[0, 6]]))).toBe("[orders]_daily");
  expect(
    text(
      marked("orders_daily", [
        [0, 4],
        [2, 6],
        [7, 12],
      ]),
    ),
  ).toBe("[orders]_[daily]");
  expect(text(marked("orders", []))).toBe("orders");
});

it("counts characters as the API does", () => {
  expect(text(marked("📦 orders", [[2, 8]]))).toBe("📦 [orders]");
});

it("ranges beyond the end do no harm", () => {
  expect(text(marked("ab", [[1, 9]]))).toBe("a[b]");
});

it("tells what else matched, and where", () => {
  const found = foundIn("shop.orders", "pg://db", [
    { field: "name", value: "shop.orders", highlight: [[5, 11]] },
    { field: "namespace", value: "pg://db", highlight: [[5, 7]] },
    { field: "column", value: "order_id", highlight: [[0, 5]], column: "order_id" },
    { field: "columnDescription", value: "the order", highlight: [[4, 9]], column: "id" },
  ]);
  expect(text(found.name)).toBe("shop.[orders]");
  expect(text(found.namespace)).toBe("pg://[db]");
  expect(found.others.map((one) => `${one.what}: ${text(one.pieces)}`)).toEqual([
    "column: [order]_id",
    "about column id: the [order]",
  ]);
});

it("a name that was cut for its match is shown whole, without marks", () => {
  expect(
    text(foundIn("a.very.long.orders", "x", [{ field: "name", value: "…long.orders", highlight: [[6, 12]] }]).name),
  ).toBe("a.very.long.orders");
});
