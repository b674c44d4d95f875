// What the graph asks the hub for. Answers stay in sight while the next ones are on their way.
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { startTransition, useEffect, useMemo, useState } from "react";
import { api, query } from "../../api/client";
import { askInParts } from "../../api/parts";
import type { paths } from "../../api/schema";
import type { View } from "./address";
import { type ColumnGraph, readColumns } from "./columns";
import { type Direction, type Graph, mergeSteps, resolveStart, type Told } from "./graph";
import { type Changes, changesOf } from "./marks";
import { useSame, useSameItems } from "./useSame";
import { depthOf, kindOf } from "./visible";

export interface Ask {
  node: string;
  direction: Direction;
  depth: number;
}

/** As far as a path can lead. */
const EVERYWHERE = 1000;

export function asksOf(view: Pick<View, "node" | "up" | "down" | "more" | "path" | "to">): Ask[] {
  const { node, up, down, more, path, to } = view;
  const asks: Ask[] = [
    { node, direction: "upstream", depth: depthOf(kindOf(node), up) },
    { node, direction: "downstream", depth: depthOf(kindOf(node), down) },
    ...more.map((one) => ({ ...one, depth: depthOf(kindOf(one.node), 1) })),
  ];
  if (path !== "" && to !== "") {
    for (const direction of ["downstream", "upstream"] as const)
      asks.push({ node: path, direction, depth: EVERYWHERE });
  }
  return asks;
}

export interface Asked {
  graph: Graph | undefined;
  /** The node that the address leads to. */
  start: string;
  error: unknown;
  isLoading: boolean;
  retry: () => void;
}

// Large answers are compared with their like by nobody: that would take longer than drawing them.
const LARGE = { structuralSharing: false, staleTime: 30_000 } as const;

interface Merged {
  of: { start: string; all: Told[] } | undefined;
  graph: Graph | undefined;
  start: string;
}

const LONGEST_MS = 12;

/** Thousands of nodes are put together a few at a time: the page answers meanwhile, and shows what it had. */
function useMerged(told: Merged["of"]): Merged {
  const [merged, setMerged] = useState<Merged>({ of: undefined, graph: undefined, start: "" });
  useEffect(() => {
    if (!told) return;
    let isWanted = true;
    const work = async () => {
      const steps = mergeSteps(told.all);
      let began = performance.now();
      let step = steps.next();
      for (; !step.done && isWanted; step = steps.next()) {
        if (performance.now() - began < LONGEST_MS) continue;
        await new Promise((turn) => setTimeout(turn));
        began = performance.now();
      }
      if (!step.done) return;
      const graph = step.value;
      startTransition(() => setMerged({ of: told, graph, start: told.start }));
    };
    void work();
    return () => {
      isWanted = false;
    };
  }, [told]);
  return merged;
}

/** The graph at a moment; an empty moment is the present. */
export function useGraph(wanted: Ask[], at: string, enabled = true): Asked {
  const asks = useSame(wanted);
  const results = useQueries({
    queries: asks.map(({ node, direction, depth }) => ({
      queryKey: ["lineage", node, direction, depth, at],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        askInParts("/api/v1/lineage", { nodeId: node, direction, depth, as_of: at || undefined }, signal),
      ...LARGE,
      placeholderData: keepPreviousData,
      enabled,
    })),
  });
  const answers = useSameItems(results.map((result) => result.data));
  const told = useMemo((): { start: string; all: Told[] } | undefined => {
    const [up, down] = answers;
    const first = asks[0];
    if (!up || !down || !first) return undefined;
    const start = resolveStart(first.node, up, down);
    const all = asks.flatMap(({ node, direction, depth }, index): Told[] => {
      const answer = answers[index];
      return answer ? [{ answer, start: index < 2 ? start : node, direction, depth }] : [];
    });
    return { start, all };
  }, [asks, answers]);
  const merged = useMerged(told);
  return {
    graph: merged.graph,
    start: merged.start,
    error: results.find((result) => result.error && result.data === undefined)?.error ?? results[0]?.error ?? null,
    isLoading: results.some((result) => result.isFetching) || merged.of !== told,
    retry: () => results.forEach((result) => void result.refetch()),
  };
}

export function useColumns(view: View, start: string): ColumnGraph {
  const nodes = [start, ...view.more.map((one) => one.node)];
  if (view.column.startsWith("datasetField:")) nodes.push(view.column);
  const depth = Math.max(view.up, view.down, 1);
  const results = useQueries({
    queries: [...new Set(nodes)].map((nodeId) => {
      // One column is followed to its very ends, a whole picture as far as it shows tables.
      const far = nodeId === view.column ? 100 : depth;
      const asked = { nodeId, depth: far, withDownstream: true, as_of: view.at || undefined };
      return {
        queryKey: ["column lineage", asked],
        queryFn: ({ signal }: { signal: AbortSignal }) => askInParts("/api/v1/column-lineage", asked, signal),
        ...LARGE,
        placeholderData: keepPreviousData,
        enabled: view.columns && start !== "",
      };
    }),
  });
  const answers = useSameItems(results.map((result) => result.data));
  return useMemo(() => readColumns(answers.flatMap((answer) => answer ?? [])), [answers]);
}

/** What differs between two moments; asked for each direction with its own depth. */
export function useChanges(view: View, start: string): { changes: Changes | undefined; error: unknown } {
  const steps = kindOf(start) === "dataset" ? 0 : 1;
  const results = useQueries({
    queries: (["upstream", "downstream"] as const).map((direction) => ({
      ...query.queryOptions("get", "/api/v1/lineage/diff", {
        params: {
          query: {
            nodeId: start,
            from: view.from,
            ...(view.at === "" ? {} : { to: view.at }),
            direction,
            depth: Math.max(0, (direction === "upstream" ? view.up : view.down) - steps),
          },
        },
      }),
      ...LARGE,
      enabled: view.from !== "" && start !== "",
    })),
  });
  const answers = useSameItems(results.map((result) => result.data));
  const changes = useMemo(
    () =>
      answers.every((answer) => answer !== undefined) ? changesOf(answers.flatMap((one) => one ?? [])) : undefined,
    [answers],
  );
  return { changes: view.from === "" ? undefined : changes, error: results.find((one) => one.error)?.error ?? null };
}

/** When the first event of all happened. */
export function useBeginning(): string | undefined {
  const { data } = useQuery({
    ...query.queryOptions("get", "/api/v1/events/lineage", { params: { query: { sortDirection: "asc", limit: 1 } } }),
    staleTime: 300_000,
  });
  const first = data?.events[0];
  const at = first && "eventTime" in first ? first.eventTime : undefined;
  return typeof at === "string" ? at : undefined;
}

type BadgesAnswer = paths["/api/v1/badges"]["post"]["responses"][200]["content"]["application/json"];
export type Badge = BadgesAnswer["badges"][number];

const MOST_BADGES = 500;

/** The state of nodes by their ids; a hub that doesn't tell has none. */
export function useBadges(ids: string[], at: string): ReadonlyMap<string, Badge> {
  const sorted = useSame([...ids].sort());
  const parts: string[][] = [];
  for (let first = 0; first < sorted.length; first += MOST_BADGES) parts.push(sorted.slice(first, first + MOST_BADGES));
  const results = useQueries({
    queries: parts.map((nodeIds) => ({
      queryKey: ["badges", at, nodeIds],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { query: at === "" ? {} : { as_of: at } };
        const { data } = await api.POST("/api/v1/badges", { params, body: { nodeIds }, signal });
        return data?.badges ?? [];
      },
      staleTime: 30_000,
      placeholderData: keepPreviousData,
    })),
  });
  const answers = useSameItems(results.map((result) => result.data));
  return useMemo(
    () => new Map(answers.flatMap((badges) => (badges ?? []).map((badge) => [badge.id, badge]))),
    [answers],
  );
}
