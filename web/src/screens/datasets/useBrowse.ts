// The datasets of one namespace or of all, fetched as far as they are looked at.
import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, query } from "../../api/client";
import { MOST_SORTED, type Row, rowOf, type Sort, sorted } from "./rows";
import { PAGE, pagesOf, placed } from "./slices";

const MOST_NAMESPACES = 10_000;
/** Rows that only fly past are not asked for. */
const STILL_MS = 60;

export interface Browsed {
  rows: Row[];
  total: number;
  /** False where there are too many rows to sort: then they stand in the hub's order. */
  sortable: boolean;
  isPending: boolean;
  error: unknown;
  retry: () => void;
  onNeed: (first: number, last: number) => void;
}

interface Listed {
  total: number;
  rows: Row[];
}

export function useNamespaces() {
  return query.useQuery("get", "/api/v1/namespaces", { params: { query: { limit: MOST_NAMESPACES } } });
}

async function pageOf(namespace: string | null, offset: number, signal: AbortSignal): Promise<Listed> {
  const params = { query: { limit: PAGE, offset, ...(namespace === null ? {} : { namespace }) } };
  const { data, error } = await api.GET("/api/v1/datasets", { params, signal });
  if (!data) throw error;
  return { total: data.totalCount, rows: data.datasets.map(rowOf) };
}

export function useBrowse(namespace: string | null, sort: Sort): Browsed {
  const [sight, setSight] = useState<[number, number]>([0, PAGE - 1]);
  // The newest answer knows best how many there are.
  const [known, setKnown] = useState<{ total: number; at: number }>();
  const total = known?.total ?? 0;
  const sortable = known !== undefined && total <= MOST_SORTED;
  const [first, last] = sortable && sort !== "name" ? [0, total - 1] : sight;
  const pages = [...new Set([0, ...pagesOf(total, first, last)])];
  const answers = useQueries({
    queries: pages.map((offset) => ({
      queryKey: ["datasets listed", namespace, offset],
      queryFn: ({ signal }: { signal: AbortSignal }) => pageOf(namespace, offset, signal),
      staleTime: 60_000,
    })),
  });
  const newest = answers.reduce<{ total: number; at: number } | undefined>(
    (best, one) =>
      one.data && one.dataUpdatedAt > (best?.at ?? 0) ? { total: one.data.total, at: one.dataUpdatedAt } : best,
    undefined,
  );
  if (newest && newest.at > (known?.at ?? 0)) setKnown(newest);
  const fetched = pages.flatMap((offset, index) => {
    const rows = answers[index]?.data?.rows;
    return rows ? [{ offset, rows }] : [];
  });
  const rows = inOrder(total, fetched, sortable ? sort : "name");
  const failed = answers.filter((one) => one.error);
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
    sortable,
    isPending: known === undefined,
    error: failed[0]?.error,
    retry: () => failed.forEach((one) => void one.refetch()),
    onNeed,
  };
}

function inOrder(total: number, fetched: { offset: number; rows: Row[] }[], sort: Sort): Row[] {
  const rows = placed(total, fetched);
  // Before all pages are there a sorted list would jump with each that comes.
  return sort === "name" || rows.filter(Boolean).length < total ? rows : sorted(rows, sort);
}
