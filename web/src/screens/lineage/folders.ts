// A node and a way to group become the folders that the node stands in, from the outside in.
import type { Graph, GraphNode } from "./graph";

/** `auto` groups only where there are too many nodes to look at. */
export type Grouping = "auto" | "namespace" | "tag" | "path";

export interface Level {
  by: "namespace" | "tag" | "path" | "names";
  title: string;
}

export type Places = (node: GraphNode) => Level[];

const NOWHERE: Level[] = [];

/** Each node's folders are found once; `alone` are the nodes that stand in none. */
export function placesIn(graph: Graph, grouping: Grouping, alone: ReadonlySet<string>): Places {
  if (grouping === "auto") return () => NOWHERE;
  const known = new Map<string, Level[]>();
  return (node) => {
    const found = known.get(node.id) ?? placeOf(graph, node, grouping, alone);
    known.set(node.id, found);
    return found;
  };
}

function placeOf(graph: Graph, node: GraphNode, grouping: Grouping, alone: ReadonlySet<string>): Level[] {
  if (grouping === "namespace") return [{ by: "namespace", title: node.namespace }];
  if (grouping === "path") return everyFolder(node).slice(1).slice(-1);
  const tag = tagOf(node) ?? (node.kind === "job" ? tagAround(graph, node, alone) : undefined);
  return tag === undefined ? NOWHERE : [{ by: "tag", title: tag }];
}

/** Of several the first by name: a node stands in one folder. */
function tagOf(node: GraphNode): string | undefined {
  return node.tags.reduce<string | undefined>(
    (first, tag) => (first === undefined || tag < first ? tag : first),
    undefined,
  );
}

/** Jobs have no tags of their own: one that touches datasets of a single tag goes with them. */
function tagAround(graph: Graph, job: GraphNode, alone: ReadonlySet<string>): string | undefined {
  let only: string | undefined;
  for (const side of [graph.into.get(job.id), graph.outOf.get(job.id)]) {
    for (const id of side ?? []) {
      const dataset = graph.nodes.get(id);
      const tag = dataset && !alone.has(id) ? tagOf(dataset) : undefined;
      if (tag === undefined || (only !== undefined && only !== tag)) return undefined;
      only = tag;
    }
  }
  return only;
}

const folders = new WeakMap<GraphNode, Level[]>();

/** The namespace, and the folders of the name within it. */
export function everyFolder(node: GraphNode): Level[] {
  const known = folders.get(node);
  if (known) return known;
  const found: Level[] = [
    { by: "namespace", title: node.namespace },
    ...foldersOf(node.name).map((title): Level => ({ by: "path", title: `${node.namespace} ${title}` })),
  ];
  folders.set(node, found);
  return found;
}

/** `a`, `a/b` of `a/b/c`; by dots where there is no slash. */
export function foldersOf(name: string): string[] {
  const separator = name.includes("/") ? "/" : ".";
  const parts = name.replace(/\/+$/, "").split(separator);
  const found: string[] = [];
  for (let end = 1; end < parts.length; end += 1) {
    const folder = parts.slice(0, end).join(separator);
    if (folder !== "") found.push(folder);
  }
  return found;
}
