// Operations over time become series: how often each ran, and how long it took.
import type { Schemas } from "../../api/client";
import { millis } from "../../model/times";
import type { Series } from "../../ui/TimeChart";

export type Operation = Schemas["Operation"];

export const OPERATION_ORDERS = [
  { value: "p95", title: "slowest p95" },
  { value: "p50", title: "slowest median" },
  { value: "p99", title: "slowest p99" },
  { value: "max", title: "longest" },
  { value: "total", title: "most time in all" },
  { value: "spans", title: "most frequent" },
  { value: "errors", title: "most errors" },
  { value: "name", title: "name" },
] as const;

export type OperationOrder = (typeof OPERATION_ORDERS)[number]["value"];

export function orderOf(text: string | null): OperationOrder {
  return OPERATION_ORDERS.find((order) => order.value === text)?.value ?? "p95";
}

/** One operation: those that went well and those that didn't, stacked. */
export function outcomeSeries({ series = [] }: Pick<Operation, "series">): Series[] {
  const of = (value: (step: NonNullable<Operation["series"]>[number]) => number) =>
    series.map((step) => ({ at: millis(step.at), value: value(step) }));
  const errors = { name: "errors", color: "--bad", points: of((step) => step.errors) };
  return [
    { name: "without error", color: "--series-1", points: of((step) => step.spans - step.errors) },
    ...(errors.points.some((point) => point.value > 0) ? [errors] : []),
  ];
}

export function quantileSeries({ series = [] }: Pick<Operation, "series">): Series[] {
  return (["p50", "p95", "p99"] as const).map((name) => ({
    name,
    points: series.map((step) => ({ at: millis(step.at), value: step.durationNs[name] })),
  }));
}

/** The busiest as series of their own; the rest together, so that the stacks have their true height. */
export function spanSeries(operations: Operation[], most: number): Series[] {
  const byBusiness = [...operations].sort((a, b) => b.spans - a.spans);
  const named = byBusiness.slice(0, byBusiness.length > most ? most - 1 : most);
  const rest = byBusiness.slice(named.length);
  const shown: Series[] = named.map((one) => ({
    name: one.operation,
    points: (one.series ?? []).map((step) => ({ at: millis(step.at), value: step.spans })),
  }));
  if (rest.length > 0) {
    const sums = new Map<number, number>();
    for (const step of rest.flatMap((one) => one.series ?? [])) {
      const at = millis(step.at);
      sums.set(at, (sums.get(at) ?? 0) + step.spans);
    }
    const points = [...sums].sort(([a], [b]) => a - b).map(([at, value]) => ({ at, value }));
    shown.push({ name: `${rest.length} others`, color: "--idle", points });
  }
  return shown;
}

/** The p95 of those that are slowest. */
export function slowSeries(operations: Operation[], most: number): Series[] {
  return [...operations]
    .sort((a, b) => b.durationNs.p95 - a.durationNs.p95)
    .slice(0, most)
    .map((one) => ({
      name: one.operation,
      points: (one.series ?? []).map((step) => ({ at: millis(step.at), value: step.durationNs.p95 })),
    }));
}
