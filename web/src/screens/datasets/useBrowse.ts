// The datasets of one namespace or of all, counted and fetched as far as they are looked at.
import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, query } from "../../api/client";
import { MOST_SORTED, type Row, rowOf, type Sort, sorted } from "./rows";
import { PAGE, pagesOf, placed, type Slice, slicesOf, totalOf } from "./slices";

const MOST_NAMESPACES = 10_000;
/** Each namespace is counted by a question of its own: the next ones are asked when the end comes into sight. */
const COUNTED_AT_ONCE = 40;
/** Rows that only fly past are not asked for. */
const STILL_MS = 60;
export interface Browsed {
  rows: Row[];
  total: number;
  /** Namespaces that haven't been counted yet. */
  uncounted: number;
  /** False where there are too many rows to sort: then they stand in the hub's order. */
  sortable: boolean;
  isPending: boolean;
  error: unknown;
  retry: () => void;
  onNeed: (first: number, last: number) => void;
}

export function useNamespaces() {
  return query.useQuery("get", "/api/v1/namespaces", { params: { query: { limit: MOST_NAMESPACES } } });
}

async function countOf(namespace: string, signal: AbortSignal): Promise<number> {
  const params = { path: { namespace }, query: { limit: 0 } };
  const { data, error } = await api.GET("/api/v1/namespaces/{namespace}/datasets", { params, signal });
  if (!data) throw error;
  return data.totalCount;
}

async function rowsOf(namespace: string, offset: number, signal: AbortSignal): Promise<Row[]> {
  const params = { path: { namespace }, query: { limit: PAGE, offset } };
  const { data, error } = await api.GET("/api/v1/namespaces/{namespace}/datasets", { params, signal });
  if (!data) throw error;
  return data.datasets.map(rowOf);
}

export function useBrowse(chosen: string | null, sort: Sort): Browsed {
  const all = useNamespaces();
  const [counted, setCounted] = useState(COUNTED_AT_ONCE);
  const [sight, setSight] = useState<[number, number]>([0, PAGE]);
  const names = chosen ? [chosen] : (all.data?.namespaces.map((one) => one.name) ?? []);
  const asked = names.slice(0, counted);
  const counts = useQueries({
    queries: asked.map((namespace) => ({
      queryKey: ["datasets counted", namespace],
      queryFn: ({ signal }: { signal: AbortSignal }) => countOf(namespace, signal),
    })),
  });
  const slices = slicesOf(asked.map((namespace, index) => ({ namespace, count: counts[index]?.data })));
  const total = totalOf(slices);
  const uncounted = names.length - asked.length;
  const isCounting = counts.some((one) => one.isPending);
  const sortable = uncounted === 0 && !isCounting && total <= MOST_SORTED;
  const [first, last] = sortable && sort !== "name" ? [0, total - 1] : sight;
  const pages = pagesOf(slices, first, last);
  const answers = useQueries({
    queries: pages.map(({ namespace, offset }) => ({
      queryKey: ["datasets listed", namespace, offset],
      queryFn: ({ signal }: { signal: AbortSignal }) => rowsOf(namespace, offset, signal),
      staleTime: 60_000,
    })),
  });
  const fetched = pages.flatMap((page, index) => {
    const rows = answers[index]?.data;
    return rows ? [{ page, rows }] : [];
  });
  const rows = inOrder(slices, fetched, sortable ? sort : "name");
  const failed = [all, ...counts, ...answers].filter((one) => one.error);
  const isEndInSight = sight[1] >= total - PAGE;
  useEffect(() => {
    if (isEndInSight && uncounted > 0 && !isCounting) setCounted((before) => before + COUNTED_AT_ONCE);
  }, [isEndInSight, uncounted, isCounting]);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const onNeed = useCallback((from: number, to: number) => {
    clearTimeout(pause.current);
    pause.current = setTimeout(
      () => setSight((before) => (before[0] === from && before[1] === to ? before : [from, to])),
      STILL_MS,
    );
  }, []);
  return {
    rows,
    total,
    uncounted,
    sortable,
    isPending: (!chosen && all.isPending) || (total === 0 && isCounting),
    error: failed[0]?.error,
    retry: () => failed.forEach((one) => void one.refetch()),
    onNeed,
  };
}

function inOrder(slices: Slice[], fetched: Parameters<typeof placed<Row>>[1], sort: Sort): Row[] {
  const rows = placed(slices, fetched);
  // Before all pages are there a sorted list would jump with each that comes.
  return sort === "name" || rows.filter(Boolean).length < totalOf(slices) ? rows : sorted(rows, sort);
}
