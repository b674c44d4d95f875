// What checks said of a dataset, as strips of cells, and what was measured, as series.
import type { Schemas } from "../../api/client";
import { manyText, percentText } from "../../model/numbers";
import type { Tone } from "../../model/states";
import { millis } from "../../model/times";

export type Check = Schemas["AssertionHistory"];
export type Measured = Schemas["MetricsPoint"];
/** As many as a strip has room for. */
export const MOST_CELLS = 60;

export function cellsOf(check: Check): Check["points"] {
  return check.points.slice(-MOST_CELLS);
}

export function cellTone(success: boolean | null): Tone {
  return success === null ? "idle" : success ? "ok" : "bad";
}

export function cellText(success: boolean | null): string {
  return success === null ? "doesn't say" : success ? "passed" : "failed";
}

/** Those that fail now first, then those that failed most. */
export function inOrder(checks: Check[]): Check[] {
  const rank = (check: Check) => (check.success === false ? 0 : check.failures > 0 ? 1 : 2);
  return [...checks].sort((a, b) => rank(a) - rank(b) || b.failures - a.failures);
}

export function isFailing(check: Check): boolean {
  return check.success === false;
}

/** For who can't see the strip. */
export function stripText(check: Check): string {
  const rate = check.successRate === null ? "" : `, ${percentText(check.successRate)} passed`;
  return `${manyText(check.checks, "check")}${rate}${isFailing(check) ? ", the last one failed" : ""}`;
}

/** One badge for a dataset: how many checks fail, or that all pass; nothing where nobody checks. */
export function standingOf(checks: Check[]): { tone: Tone; text: string } | undefined {
  const said = checks.filter((check) => check.success !== null);
  if (said.length === 0) return undefined;
  const failing = said.filter(isFailing).length;
  return failing > 0
    ? { tone: "bad", text: `${failing} of ${manyText(said.length, "check")} failing` }
    : { tone: "ok", text: `${manyText(said.length, "check")} passing` };
}

export type Figure = "nullCount" | "distinctCount" | "count" | "sum" | "min" | "max";
export const FIGURES: { value: Figure; title: string }[] = [
  { value: "nullCount", title: "empty values" },
  { value: "distinctCount", title: "distinct values" },
  { value: "count", title: "values" },
  { value: "sum", title: "sum" },
  { value: "min", title: "smallest" },
  { value: "max", title: "largest" },
];

/** The columns that anything was measured of, and which figures were. */
export function measuredColumns(metrics: Measured[]): Map<string, Figure[]> {
  const found = new Map<string, Set<Figure>>();
  for (const { columns } of metrics) {
    for (const [name, figures] of Object.entries(columns)) {
      const known = found.get(name) ?? new Set<Figure>();
      for (const { value } of FIGURES) if (figures[value] !== undefined) known.add(value);
      found.set(name, known);
    }
  }
  const ordered = [...found].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const inOrderOf = (known: Set<Figure>) => FIGURES.map(({ value }) => value).filter((value) => known.has(value));
  return new Map(
    ordered.map(([name, known]) => [name, inOrderOf(known)] as const).filter(([, known]) => known.length > 0),
  );
}

export function columnPoints(metrics: Measured[], column: string, figure: Figure) {
  return points(metrics, (one) => one.columns[column]?.[figure]);
}

export function datasetPoints(metrics: Measured[], figure: "rowCount" | "bytes" | "fileCount") {
  return points(metrics, (one) => one[figure]);
}

function points(metrics: Measured[], valueOf: (one: Measured) => number | null | undefined) {
  return metrics.flatMap((one) => {
    const value = valueOf(one);
    return value == null ? [] : [{ at: millis(one.at), value }];
  });
}
