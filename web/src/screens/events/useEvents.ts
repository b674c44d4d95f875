// Pages of stored events, the newest first, one after the other; and what arrives meanwhile.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api } from "../../api/client";
import { useStream } from "../../api/stream";
import { type EventRow, rowOfEvent, rowOfMessage, withoutRepeats } from "./rows";
import { paused, QUIET, received, resumed, type Tail } from "./tail";

const PAGE = 200;
// Messages may come by the thousand: the list is drawn again a few times a second at most.
const DRAW_MS = 250;

export interface Window {
  after: string | undefined;
  before: string | undefined;
}

interface Page {
  rows: EventRow[];
  total: number;
  horizon: string | undefined;
}

export function useStoredEvents({ after, before }: Window) {
  const pages = useInfiniteQuery({
    queryKey: ["events", after, before],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const { data, error } = await api.GET("/api/v1/events/lineage", {
        params: { query: { after, before, limit: PAGE, offset: pageParam } },
        signal,
      });
      if (error !== undefined || data === undefined) throw error ?? new Error("no answer");
      return {
        rows: data.events.map((event, at) => rowOfEvent(data.ids[at] ?? "", event)),
        total: data.totalCount,
        horizon: data.horizon,
      };
    },
    initialPageParam: 0,
    getNextPageParam: (last, _, offset) => (offset + PAGE < last.total ? offset + PAGE : undefined),
    // The tail tells what is new; asking every page again would tell it once more.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const rows = useMemo(() => withoutRepeats(pages.data?.pages.flatMap((page) => page.rows) ?? []), [pages.data]);
  return { pages, rows, total: pages.data?.pages.at(-1)?.total ?? 0, horizon: pages.data?.pages[0]?.horizon };
}

export function useTail(enabled: boolean, isWanted: (row: EventRow) => boolean) {
  const [tail, setTail] = useState<Tail>(QUIET);
  const arrived = useRef<EventRow[]>([]);
  const wanted = useRef(isWanted);
  useEffect(() => {
    wanted.current = isWanted;
  });
  const state = useStream(
    ["events"],
    (_, message) => {
      const row = rowOfMessage(message);
      if (wanted.current(row)) arrived.current.push(row);
    },
    { enabled },
  );
  useEffect(() => {
    if (!enabled) return;
    const timer = setInterval(() => {
      const rows = arrived.current;
      if (rows.length === 0) return;
      arrived.current = [];
      setTail((before) => received(before, rows));
    }, DRAW_MS);
    return () => clearInterval(timer);
  }, [enabled]);
  return {
    tail,
    state,
    pause: useCallback(() => setTail(paused), []),
    resume: useCallback(() => setTail(resumed), []),
    clear: useCallback(() => setTail(QUIET), []),
  };
}
