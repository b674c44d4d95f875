import { expect, it } from "vitest";
import { formatOf, NANOSECONDS, rateText } from "./units";

it("rates are told in the unit in which they can be imagined", () => {
  expect(rateText(0)).toBe("0/s");
  expect(rateText(1234.5)).toBe("1,235/s");
  expect(rateText(2)).toBe("2/s");
  expect(rateText(0.5)).toBe("30/min");
  expect(rateText(1 / 3600)).toBe("1/h");
  expect(rateText(0.5 / 3600)).toBe("12/day");
  expect(rateText(1 / 86_400 / 8)).toBe("0.125/day");
});

it("units of time and bytes are read, others are written beside the number", () => {
  expect(formatOf("s").format(90)).toBe("1 min 30 s");
  expect(formatOf("ms").format(0)).toBe("0");
  expect(formatOf("KiBy").format(2)).toBe("2.05 kB");
  expect(formatOf("By", true).format(1_500_000)).toBe("1.5 MB/s");
  expect(formatOf("s", true).format(0.25)).toBe("0.25 s/s");
  expect(formatOf("1").format(0.5)).toBe("0.5");
  expect(formatOf("{request}", true).format(3)).toBe("3/s");
  expect(formatOf("Cel").format(21)).toBe("21 Cel");
  expect(formatOf("%").format(12.5)).toBe("12.5 %");
  expect(NANOSECONDS.format(1_500_000)).toBe("1.5 ms");
});

it("an axis of seconds has ticks of seconds", () => {
  expect(formatOf("s").ticks?.(7)).toEqual([0, 2, 4, 6, 8]);
  expect(formatOf("ns").ticks?.(7e9)).toEqual([0, 2e9, 4e9, 6e9, 8e9]);
});
