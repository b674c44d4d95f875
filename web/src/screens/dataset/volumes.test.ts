import { expect, it } from "vitest";
import { has, runAt, seriesOf, type Volume } from "./volumes";

function point(day: number, job: string | null, rowCount: number | null, namespace = "n"): Volume {
  const at = new Date(Date.UTC(2026, 0, day)).toISOString();
  return {
    at,
    run: job && `run${day}`,
    job: job === null ? null : { namespace, name: job },
    event: `e${day}`,
    rowCount,
    size: null,
    fileCount: null,
  };
}

it("each job has its line, in the order of time", () => {
  const series = seriesOf(
    [point(3, "etl.load", 30), point(1, "etl.load", 10), point(2, "etl.copy", 5), point(4, "etl.load", null)],
    "rowCount",
  );
  expect(series.map((one) => one.name)).toEqual(["load", "copy"]);
  expect(series[0]?.points.map((one) => one.value)).toEqual([10, 30]);
});

it("names say as much as tells them apart", () => {
  const series = seriesOf(
    [
      point(1, "a.load", 1),
      point(2, "b.load", 1),
      point(3, "x.sum", 1, "m"),
      point(4, "x.sum", 1, "n"),
      point(5, null, 1),
    ],
    "rowCount",
  );
  expect(series.map((one) => one.name).sort()).toEqual([
    "a.load",
    "b.load",
    "m x.sum",
    "n x.sum",
    "told without a job",
  ]);
});

it("of many jobs those that told most are drawn, the others together; no point is lost", () => {
  const points = Array.from({ length: 9 }, (_, job) =>
    Array.from({ length: 9 - job }, (_, day) => point(day + 1, `j${job}`, 1)),
  ).flat();
  const series = seriesOf(points, "rowCount");
  expect(series.map((one) => one.name)).toEqual(["j0", "j1", "j2", "j3", "j4", "other jobs"]);
  expect(series.reduce((sum, one) => sum + one.points.length, 0)).toBe(points.length);
});

it("finds the run behind a moment", () => {
  const points = [point(1, "a", 1), point(2, null, 2)];
  expect(runAt(points, Date.UTC(2026, 0, 1))).toBe("run1");
  expect(runAt(points, Date.UTC(2026, 0, 2))).toBeNull();
  expect(has(points, "rowCount")).toBe(true);
  expect(has(points, "size")).toBe(false);
});
