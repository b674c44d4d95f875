// The view in the address becomes everything that is drawn: which nodes, in which boxes, with which lines and marks.
import { useMemo } from "react";
import { problemOf } from "../../api/client";
import type { View } from "./address";
import { between, type Between } from "./between";
import { closureOf, columnId, type ColumnGraph } from "./columns";
import { emptyGraph, type Graph, unionOf } from "./graph";
import { type Grouped, groupNodes } from "./groups";
import type { Changes } from "./marks";
import { matching } from "./matching";
import { asksOf, useChanges, useColumns, useGraph } from "./questions";
import { type Scene, sceneOf } from "./scene";
import { type Rim, rimOf, visibleNodes } from "./visible";

export interface Picture {
  graph: Graph;
  start: string;
  /** The nodes that are shown, singly or in groups. */
  shown: ReadonlySet<string>;
  rim: Rim;
  grouped: Grouped;
  scene: Scene;
  columns: ColumnGraph;
  /** The id of the column that is pinned. */
  pinned: string;
  found: Between | undefined;
  matches: ReadonlySet<string> | undefined;
  changes: Changes | undefined;
  changesError: unknown;
}

export interface Asked {
  picture: Picture | undefined;
  error: unknown;
  isLoading: boolean;
  retry: () => void;
}

/** Of two moments one may lie before the node was there, or after it was dropped. */
function graphOf(after: Graph | undefined, before: Graph | undefined, isCompared: boolean): Graph | undefined {
  if (!isCompared) return after;
  return after || before ? unionOf(before ?? emptyGraph(), after ?? emptyGraph()) : undefined;
}

export function usePicture(view: View): Asked {
  const isCompared = view.from !== "";
  const asks = asksOf(view);
  const after = useGraph(asks, view.at);
  const before = useGraph(asks, view.from, isCompared);
  const start = after.start || before.start;
  const graph = useMemo(() => graphOf(after.graph, before.graph, isCompared), [after.graph, before.graph, isCompared]);
  const columns = useColumns(view, start);
  const { changes, error: changesError } = useChanges(view, start);
  const { path, to, up, down, more, grouping, open, selected, filter } = view;

  const found = useMemo(
    () => (graph && path !== "" && to !== "" ? between(graph, path, to) : undefined),
    [graph, path, to],
  );
  const shown = useMemo(() => {
    const all = new Set<string>();
    for (const one of isCompared ? [before.graph, after.graph] : [after.graph]) {
      if (!one) continue;
      const also = found ? found.nodes : [path, to];
      for (const id of visibleNodes(one, { start, up, down, more, also })) all.add(id);
    }
    return all;
  }, [after.graph, before.graph, isCompared, start, up, down, more, found, path, to]);
  const rim = useMemo(() => (graph ? rimOf(graph, shown) : { up: new Map(), down: new Map() }), [graph, shown]);

  const keep = useMemo(() => new Set([path, to, ...(found?.shortest ?? [])]), [path, to, found]);
  const closed = useMemo(
    () => graph && groupNodes(graph, shown, { grouping, open: new Set(open), start, keep }),
    [graph, shown, grouping, open, start, keep],
  );
  // What is chosen isn't left within a closed group; choosing what isn't in one changes nothing.
  const within = closed?.groups.has(closed.boxOf.get(selected) ?? "") ? selected : "";
  const grouped = useMemo(
    () =>
      graph && within !== ""
        ? groupNodes(graph, shown, { grouping, open: new Set(open), start, keep: new Set([...keep, within]) })
        : closed,
    [graph, shown, grouping, open, start, keep, within, closed],
  );
  const { tall, folded } = view;
  const shownColumns = useMemo(
    () => (view.columns ? { graph: columns, tall: new Set(tall), folded: new Set(folded) } : undefined),
    [view.columns, columns, tall, folded],
  );
  const scene = useMemo(
    () => (graph && grouped ? sceneOf(graph, grouped, shownColumns) : undefined),
    [graph, grouped, shownColumns],
  );
  const matches = useMemo(() => {
    if (!graph || filter.trim() === "") return undefined;
    return matching(
      [...shown].flatMap((id) => graph.nodes.get(id) ?? []),
      filter,
      view.columns,
    );
  }, [graph, shown, filter, view.columns]);

  const node = graph?.nodes.get(start);
  const pinned =
    !view.columns || view.column === "" || view.column.startsWith("datasetField:") || !node
      ? view.columns
        ? view.column
        : ""
      : columnId(node, view.column);
  const picture = useMemo(
    () =>
      graph && grouped && scene
        ? { graph, start, shown, rim, grouped, scene, columns, pinned, found, matches, changes, changesError }
        : undefined,
    [graph, start, shown, rim, grouped, scene, columns, pinned, found, matches, changes, changesError],
  );
  return {
    picture: after.error && !isCompared && problemOf(after.error).code !== 0 ? undefined : picture,
    error: after.error ?? (isCompared ? before.error : null),
    isLoading: after.isLoading || (isCompared && before.isLoading),
    retry: () => {
      after.retry();
      if (isCompared) before.retry();
    },
  };
}

export function usePinned(picture: Picture | undefined, directOnly: boolean) {
  return useMemo(
    () => (picture && picture.pinned !== "" ? closureOf(picture.columns, picture.pinned, directOnly) : undefined),
    [picture, directOnly],
  );
}
