import { expect, it } from "vitest";
import { bytesText, manyText, percentText, shortText } from "./numbers";

it("sizes step by a thousand", () => {
  expect(bytesText(999)).toBe("999 B");
  expect(bytesText(1_000)).toBe("1 kB");
  expect(bytesText(12_345_678)).toBe("12.3 MB");
});

it("a share that isn't all is not shown as all", () => {
  expect(percentText(1)).toBe("100 %");
  expect(percentText(0.99999)).toBe("> 99.9 %");
  expect(percentText(0.00001)).toBe("< 0.1 %");
  expect(percentText(0)).toBe("0 %");
  expect(percentText(0.345)).toBe("34.5 %");
});

it("numbers are short where room is", () => {
  expect(shortText(9_999)).toBe("9,999");
  expect(shortText(1_234_567)).toBe("1.2M");
  expect(shortText(0.12345)).toBe("0.123");
});

it("one is one", () => {
  expect(manyText(1, "run")).toBe("1 run");
  expect(manyText(2, "run")).toBe("2 runs");
  expect(manyText(0, "entry", "entries")).toBe("0 entries");
});
