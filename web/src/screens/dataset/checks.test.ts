import { expect, it } from "vitest";
import {
  cellsOf,
  type Check,
  columnPoints,
  datasetPoints,
  inOrder,
  type Measured,
  measuredColumns,
  MOST_CELLS,
  standingOf,
  stripText,
} from "./checks";

function check(assertion: string, successes: (boolean | null)[]): Check {
  const said = successes.filter((one) => one !== null);
  const failures = said.filter((one) => !one).length;
  return {
    assertion,
    column: null,
    severity: null,
    checks: said.length,
    failures,
    successRate: said.length ? (said.length - failures) / said.length : null,
    success: said.at(-1) ?? null,
    failingSince: null,
    points: successes.map((success, day) => ({
      at: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
      run: null,
      job: null,
      event: `e${day}`,
      success,
    })),
  };
}

it("a strip shows the latest", () => {
  const long = check("not_null", [false, ...Array.from({ length: MOST_CELLS }, () => true)]);
  expect(cellsOf(long)).toHaveLength(MOST_CELLS);
  expect(cellsOf(long).every((one) => one.success)).toBe(true);
});

it("what fails now stands first, then what failed most", () => {
  const checks = [
    check("fine", [true, true]),
    check("was", [false, true]),
    check("worse", [false, false, true]),
    check("now", [true, false]),
  ];
  expect(inOrder(checks).map((one) => one.assertion)).toEqual(["now", "worse", "was", "fine"]);
});

it("a dataset has one standing", () => {
  expect(standingOf([check("a", [true]), check("b", [false])])).toEqual({ tone: "bad", text: "1 of 2 checks failing" });
  expect(standingOf([check("a", [true])])).toEqual({ tone: "ok", text: "1 check passing" });
  expect(standingOf([check("a", [null])])).toBeUndefined();
  expect(standingOf([])).toBeUndefined();
});

it("a strip can be read aloud", () => {
  expect(stripText(check("a", [true, true, true, false]))).toBe("4 checks, 75 % passed, the last one failed");
  expect(stripText(check("a", [null]))).toBe("0 checks");
});

const METRICS: Measured[] = [
  {
    at: "2026-01-01T00:00:00Z",
    run: null,
    job: null,
    event: "a",
    rowCount: 10,
    bytes: null,
    fileCount: null,
    columns: { b: { max: -1, nullCount: 0 }, a: {} },
  },
  {
    at: "2026-01-02T00:00:00Z",
    run: null,
    job: null,
    event: "b",
    rowCount: null,
    bytes: 5,
    fileCount: null,
    columns: { b: { max: 2 }, c: { sum: 1.5 } },
  },
];

it("knows what was measured, and skips what wasn't", () => {
  expect([...measuredColumns(METRICS)]).toEqual([
    ["b", ["nullCount", "max"]],
    ["c", ["sum"]],
  ]);
  expect(columnPoints(METRICS, "b", "max").map((one) => one.value)).toEqual([-1, 2]);
  expect(columnPoints(METRICS, "c", "max")).toEqual([]);
  expect(datasetPoints(METRICS, "rowCount")).toEqual([{ at: Date.UTC(2026, 0, 1), value: 10 }]);
});
