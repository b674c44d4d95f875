// Differences between two runs as people read them.
import type { Schemas } from "../../api/client";
import { valueText } from "../trace/spans";

type NumberPair = Schemas["NumberPair"];

export interface Measured {
  a: string;
  b: string;
  /** `+12 s`, `−3 %`: nothing where one side is missing or both are the same. */
  change: string;
  /** How much more or less, for a bar: from −1 (gone) over 0 (the same) to 1 (twice as much or more). */
  lean: number;
}

export function measured(pair: NumberPair, text: (value: number) => string): Measured {
  const side = (value: number | null) => (value === null ? "–" : text(value));
  const told = { a: side(pair.a), b: side(pair.b) };
  if (pair.difference === undefined) return { ...told, change: "", lean: 0 };
  if (pair.difference === 0) return { ...told, change: "same", lean: 0 };
  const sign = pair.difference > 0 ? "+" : "−";
  const share = pair.ratio == null ? "" : ` (${sign}${shareText(Math.abs(pair.ratio - 1))})`;
  return {
    ...told,
    change: `${sign}${text(Math.abs(pair.difference))}${share}`,
    lean: pair.ratio == null ? 1 : Math.max(-1, Math.min(1, pair.ratio - 1)),
  };
}

/** Shares above ten times as factors: nobody reads 4,300 %. */
function shareText(share: number): string {
  if (share >= 10) return `${Math.round(share + 1)}×`;
  const percent = share * 100;
  return percent < 0.1 ? "< 0.1 %" : `${Number(percent.toPrecision(percent < 10 ? 2 : 3))} %`;
}

type Facets = Schemas["FacetDifferences"];

export interface FacetLine {
  facet: string;
  path: string;
  kind: "added" | "removed" | "changed";
  a: string;
  b: string;
}

/** One line for each value that differs; a facet that only one of them has is one line. */
export function facetLines(facets: Facets): FacetLine[] {
  const text = (value: unknown) => (value === null || value === undefined ? "" : valueText(value));
  return [
    ...facets.changed.flatMap(({ facet, differences }) =>
      differences.map(({ path, kind, a, b }) => ({ facet, path, kind, a: text(a), b: text(b) })),
    ),
    ...facets.removed.map(({ facet, value }) => ({ facet, path: "", kind: "removed" as const, a: text(value), b: "" })),
    ...facets.added.map(({ facet, value }) => ({ facet, path: "", kind: "added" as const, a: "", b: text(value) })),
  ];
}

export function hiddenCount(facets: Facets): number {
  return facets.changed.reduce((sum, one) => sum + one.hidden, 0);
}

type Schema = Schemas["SchemaDifference"];

export interface ColumnLine {
  kind: "added" | "removed" | "changed";
  text: string;
}

export function columnLines(schema: Schema): ColumnLine[] {
  const typed = ({ name, type }: Schema["added"][number]) => (type ? `${name} ${type}` : name);
  return [
    ...schema.likelyRenamed.map(({ from, to }) => ({
      kind: "changed" as const,
      text: `${from} → ${to} (likely renamed)`,
    })),
    ...schema.removed.map((one) => ({ kind: "removed" as const, text: typed(one) })),
    ...schema.added.map((one) => ({ kind: "added" as const, text: typed(one) })),
    ...schema.changed.map(({ name, from, to }) => ({
      kind: "changed" as const,
      text: `${name}: ${from ?? "no type"} → ${to ?? "no type"}`,
    })),
    ...schema.moved.map(({ name, from, to }) => ({
      kind: "changed" as const,
      text: `${name} moved from ${from} to ${to}`,
    })),
    ...schema.described.map((name) => ({ kind: "changed" as const, text: `${name} is described otherwise` })),
  ];
}

/** Whether two runs differ in nothing that was compared, but when they ran and how long they took. */
export function isSame(found: Schemas["RunComparison"]): boolean {
  const facetsSame = (one: Facets) => one.added.length + one.removed.length + one.changed.length === 0;
  const sideSame = (one: Schemas["DatasetDifferences"]) =>
    one.added.length + one.removed.length + one.changed.length === 0;
  return (
    found.state.equal &&
    found.sql.equal &&
    sideSame(found.inputs) &&
    sideSame(found.outputs) &&
    facetsSame(found.code) &&
    facetsSame(found.runFacets) &&
    facetsSame(found.jobFacets)
  );
}
