// The nodes of the picture become the moments at which something of them changed: the marks of the time slider.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../api/client";
import { emptyGraph, type Graph, type GraphNode } from "./graph";
import { nearest } from "./groups";
import { type Moment, momentsOf } from "./timeline";
import { useSame } from "./useSame";

/** Each node has a history of its own, and each history is a question: so many are asked for, the nearest first. */
export const MOST_HISTORIES = 80;
const AT_ONCE = 3;
const OF_EACH = 50;
const FRESH_MS = 300_000;

export interface Moments {
  all: Moment[];
  /** Of how many nodes changes are known, and how many there are; of the others only when they were first told of. */
  known: number;
  total: number;
}

interface Shown {
  graph: Graph;
  start: string;
  shown: ReadonlySet<string>;
}

const NOTHING: Shown = { graph: emptyGraph(), start: "", shown: new Set() };

/** Those whose history is asked for; what no arrow joins comes last. */
export function askedNodes({ graph, start, shown }: Shown, most: number): GraphNode[] {
  const ids = new Set([...nearest(graph, shown, start, most), ...shown]);
  const nodes: GraphNode[] = [];
  for (const id of ids) {
    if (nodes.length === most) break;
    const node = graph.nodes.get(id);
    if (node) nodes.push(node);
  }
  return nodes;
}

type Asked = Pick<GraphNode, "kind" | "namespace" | "name">;

/** When jobs changed what they read, write or run, and datasets their columns; and when each was first told of. */
export function useMoments(picture: Shown | undefined): Moments {
  const client = useQueryClient();
  const { graph, start, shown } = picture ?? NOTHING;
  const nodes = useMemo(() => askedNodes({ graph, start, shown }, MOST_HISTORIES), [graph, start, shown]);
  const asked = useSame(nodes.map(({ kind, namespace, name }): Asked => ({ kind, namespace, name })));
  const { data: changes } = useQuery({
    queryKey: ["histories", asked],
    queryFn: ({ signal }) => histories(client, asked, signal),
    staleTime: FRESH_MS,
    enabled: asked.length > 0,
  });
  return useMemo(() => {
    const first = [...shown].flatMap((id) => graph.nodes.get(id)?.createdAt ?? []);
    return { all: momentsOf([...first, ...(changes ?? [])]), known: asked.length, total: first.length };
  }, [graph, shown, changes, asked]);
}

/** A few at once, so that what a person does next doesn't stand behind them. */
async function histories(client: QueryClient, asked: Asked[], signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const waiting = [...asked];
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      // A node without a history leaves the others theirs.
      found.push(...(await historyOf(client, next).catch(() => [])));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function historyOf(client: QueryClient, { kind, namespace, name }: Asked): Promise<string[]> {
  const kept = { staleTime: FRESH_MS, retry: false };
  if (kind === "job") {
    const { versions } = await client.fetchQuery({
      ...query.queryOptions("get", "/api/v1/namespaces/{namespace}/jobs/{job}/versions", {
        params: { path: { namespace, job: name }, query: { limit: OF_EACH } },
      }),
      ...kept,
    });
    return versions.map((version) => version.createdAt);
  }
  const { changes } = await client.fetchQuery({
    ...query.queryOptions("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/schema-history", {
      params: { path: { namespace, dataset: name }, query: { limit: OF_EACH } },
    }),
    ...kept,
  });
  return changes.map((change) => change.at);
}
