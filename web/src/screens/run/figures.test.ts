import { expect, it } from "vitest";
import { amountText, ratioText, shares } from "./figures";

it("reads amounts by their unit", () => {
  expect(amountText(125, "s")).toBe("2 min 5 s");
  expect(amountText(1_500_000, "By")).toBe("1.5 MB");
  expect(amountText(1234, "")).toBe("1,234");
  expect(amountText(3, "files")).toBe("3 files");
  expect(amountText("INT", "")).toBe("INT");
  expect(amountText(null, "s")).toBe("–");
});

it("compares numbers only", () => {
  expect(shares({ name: "rows", usual: 50, now: 200, unit: "" })).toEqual({ usual: 25, now: 100 });
  expect(shares({ name: "code", usual: "a", now: "b", unit: "" })).toBeUndefined();
  expect(shares({ name: "rows", usual: 0, now: 0, unit: "" })).toBeUndefined();
});

it("says how much more or less", () => {
  expect(ratioText(320, 100)).toBe("3.2× the usual");
  expect(ratioText(50, 100)).toBe("50 % of the usual");
  expect(ratioText(101, 100)).toBe("as usual");
  expect(ratioText(1, 0)).toBeUndefined();
});
