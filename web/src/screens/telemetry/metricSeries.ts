// A metric's answer becomes lines: which figure of its points, under which names, and which of very many.
import type { Schemas } from "../../api/client";
import { millis } from "../../model/times";
import type { Series } from "../../ui/TimeChart";

export type MetricSeries = Schemas["MetricSeries"]["series"][number];
type MetricPoint = Schemas["MetricPoint"];
type Kind = Pick<MetricSeries, "type" | "unit" | "temporality" | "monotonic">;

export const SERVICE = "service.name";
export const PLAIN = ["value", "mean", "min", "max"] as const;
const GROWN = ["rate", "increase"] as const;
const SPREAD = ["p95", "p50", "p99", "mean", "max", "min", "rate", "count"] as const;

/** What can be shown of a metric; the first is what one mostly wants. */
export function statisticsOf(kind: Kind, points: MetricPoint[]): string[] {
  switch (kind.type) {
    case "gauge":
      return [...PLAIN];
    case "sum":
      return kind.monotonic || kind.temporality === "DELTA" ? [...GROWN] : ["value"];
    case "summary": {
      const levels = new Set(points.flatMap((point) => Object.keys(point.quantiles ?? {})));
      return [...[...levels].sort((a, b) => Number(b) - Number(a)).map((level) => `quantile ${level}`), "count", "sum"];
    }
    default:
      return [...SPREAD];
  }
}

export function valueOf(point: MetricPoint, statistic: string): number | null {
  if (statistic.startsWith("quantile ")) return point.quantiles?.[statistic.slice("quantile ".length)] ?? null;
  const value = point[statistic as keyof MetricPoint];
  return typeof value === "number" ? value : null;
}

/** Counts have no unit, rates are a second of it, everything else has that of the metric. */
export function unitOf(kind: Kind, statistic: string): { unit: string; aSecond: boolean } {
  const isSpread = kind.type !== "gauge" && kind.type !== "sum";
  if (statistic === "count" || (isSpread && statistic === "rate")) return { unit: "1", aSecond: statistic === "rate" };
  return { unit: kind.unit, aSecond: statistic === "rate" };
}

export function kindKey(kind: Kind): string {
  return [kind.type, kind.unit, kind.temporality, kind.monotonic].join("\n");
}

/** Series of one kind belong in one chart; a name may have several kinds. */
export function byKind(series: MetricSeries[]): MetricSeries[][] {
  const kinds = new Map<string, MetricSeries[]>();
  for (const one of series) kinds.set(kindKey(one), [...(kinds.get(kindKey(one)) ?? []), one]);
  return [...kinds.values()];
}

/** Names of attributes that tell series apart, those with several values first. */
export function attributeNames(series: MetricSeries[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const { attributes } of series) {
    for (const [name, value] of Object.entries(attributes)) {
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  const many = (name: string) => values.get(name)?.size ?? 0;
  return [...values.keys()].sort((a, b) => Number(many(b) > 1) - Number(many(a) > 1) || a.localeCompare(b));
}

/** What tells each from the others: its service if there are several, and the attributes that differ. */
export function seriesNames(series: MetricSeries[], otherwise: string): string[] {
  const services = new Set(series.map((one) => one.service));
  // The service stands in front anyway.
  const differing = attributeNames(series).filter(
    (name) => name !== SERVICE && new Set(series.map((one) => one.attributes[name])).size > 1,
  );
  const names = series.map((one) => {
    const attributes = differing.map((name) =>
      differing.length === 1 ? (one.attributes[name] ?? `no ${name}`) : `${name}=${one.attributes[name] ?? ""}`,
    );
    return [...(services.size > 1 ? [one.service] : []), ...attributes].join(" · ") || otherwise;
  });
  // The hub keeps apart what names alone don't, such as two tenants.
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`));
}

export interface Lines {
  series: Series[];
  hidden: number;
}

/** The strongest lines, in the order of the answer; more than a dozen nobody can tell apart. */
export function linesOf(all: MetricSeries[], statistic: string, name: string, most = 12): Lines {
  const names = seriesNames(all, name);
  const lines = all.map((one, at) => {
    const points = one.points.map((point) => ({ at: millis(point.at), value: valueOf(point, statistic) }));
    const strength = points.reduce((sum, point) => sum + Math.abs(point.value ?? 0), 0);
    return { name: names[at] ?? name, points, strength };
  });
  const strongest = [...lines].sort((a, b) => b.strength - a.strength).slice(0, most);
  const kept = new Set(strongest.map((line) => line.name));
  const series = lines.filter((line) => kept.has(line.name)).map(({ name: own, points }) => ({ name: own, points }));
  return { series, hidden: lines.length - series.length };
}
