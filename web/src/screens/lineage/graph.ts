// What the hub told of nodes and edges, put together: several answers become one graph, which knows what it doesn't know.
import type { Schemas } from "../../api/client";

export type Kind = "dataset" | "job";

export interface Field {
  name: string;
  type: string | null;
}

export interface GraphNode {
  id: string;
  kind: Kind;
  namespace: string;
  name: string;
  fields: Field[];
  tags: string[];
  description: string | null;
  /** When it was first told of. */
  createdAt: string;
  updatedAt: string;
  /** Of a job's last run. */
  run: { id: string; state: string; endedAt: string | null } | null;
  namedOnly: boolean;
  deleted: boolean;
  /** Ids under its other names. */
  aliases: string[];
  /** All that a job reads and writes, also what no answer has; null of datasets. */
  reads: string[] | null;
  writes: string[] | null;
}

export interface GraphEdge {
  /** Of both ends, so that an edge is the same in every answer. */
  key: string;
  /** What the hub calls it, to ask for its evidence. */
  id: string;
  from: string;
  to: string;
  /** Only the lineage of columns tells of it. */
  byColumns: boolean;
}

export interface Graph {
  nodes: Map<string, GraphNode>;
  edges: Map<string, GraphEdge>;
  into: Map<string, Set<string>>;
  outOf: Map<string, Set<string>>;
  /** Datasets of which all that writes them, or reads them, is in the graph. */
  wholeUp: Set<string>;
  wholeDown: Set<string>;
  /** How many nodes answers left out. */
  leftOut: number;
}

export type Direction = "upstream" | "downstream";

type JobNode = Schemas["JobNode"];
type DatasetNode = Schemas["DatasetNode"];
/** A member that is always null isn't read. */
type ReadDatasetNode = Omit<DatasetNode, "data"> & { data: Omit<DatasetNode["data"], "lastModifiedAt"> };
export type LineageNode = JobNode | ReadDatasetNode;
export type LineageAnswer = Omit<Schemas["LineageGraph"], "graph"> & { graph: LineageNode[] };

/** An answer, and the question it answers. */
export interface Told {
  answer: LineageAnswer;
  start: string;
  direction: Direction;
  depth: number;
}

export function edgeKey(from: string, to: string): string {
  return `${from}\n${to}`;
}

export function emptyGraph(): Graph {
  return {
    nodes: new Map(),
    edges: new Map(),
    into: new Map(),
    outOf: new Map(),
    wholeUp: new Set(),
    wholeDown: new Set(),
    leftOut: 0,
  };
}

export function addNode(graph: Graph, node: GraphNode): void {
  graph.nodes.set(node.id, node);
  if (!graph.into.has(node.id)) graph.into.set(node.id, new Set());
  if (!graph.outOf.has(node.id)) graph.outOf.set(node.id, new Set());
}

/** Both ends must be there. */
export function addEdge(graph: Graph, edge: GraphEdge): void {
  graph.edges.set(edge.key, edge);
  graph.outOf.get(edge.from)?.add(edge.to);
  graph.into.get(edge.to)?.add(edge.from);
}

export function readNode(node: LineageNode): GraphNode {
  const { id, data } = node;
  const shared = {
    id,
    namespace: data.namespace,
    name: data.name,
    description: data.description,
    createdAt: data.createdAt,
    updatedAt: data.updatedAt,
    namedOnly: data.namedOnly === true,
  };
  if (node.type === "JOB") {
    const { latestRun, inputs, outputs } = node.data;
    return {
      ...shared,
      kind: "job",
      fields: [],
      tags: [],
      run: latestRun && { id: latestRun.id, state: latestRun.state, endedAt: latestRun.endedAt ?? null },
      deleted: false,
      aliases: [],
      reads: inputs.map(({ namespace, name }) => `dataset:${namespace}:${name}`),
      writes: outputs.map(({ namespace, name }) => `dataset:${namespace}:${name}`),
    };
  }
  return {
    ...shared,
    kind: "dataset",
    fields: node.data.fields,
    tags: node.data.tags,
    run: null,
    deleted: node.data.deleted === true,
    aliases: (node.data.aliases ?? []).map(({ namespace, name }) => `dataset:${namespace}:${name}`),
    reads: null,
    writes: null,
  };
}

/** Hops from a node along arrows or against them; without a bound, as far as there is anything. */
export function hopsFrom(start: string, next: Map<string, Set<string>>, most = Infinity): Map<string, number> {
  const hops = new Map([[start, 0]]);
  let frontier = [start];
  for (let hop = 1; hop <= most && frontier.length > 0; hop += 1) {
    const fresh: string[] = [];
    for (const one of frontier) {
      for (const other of next.get(one) ?? []) {
        if (!hops.has(other)) {
          hops.set(other, hop);
          fresh.push(other);
        }
      }
    }
    frontier = fresh;
  }
  return hops;
}

/** The node that an id leads to: itself, one that has it as another name, or the one that both directions begin at. */
export function resolveStart(asked: string, up: LineageAnswer, down: LineageAnswer): string {
  const nodes = [...up.graph, ...down.graph];
  if (nodes.some((node) => node.id === asked)) return asked;
  const named = nodes.find((node) => readNode(node).aliases.includes(asked));
  if (named) return named.id;
  const above = new Set(up.graph.map((node) => node.id));
  return down.graph.find((node) => above.has(node.id))?.id ?? asked;
}

/** Several answers about one moment as one graph. */
export function mergeTold(all: Told[]): Graph {
  const steps = mergeSteps(all);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const AT_A_TIME = 500;

/** The same in steps, between which others may have their turn. */
export function* mergeSteps(all: Told[]): Generator<undefined, Graph> {
  const graph = emptyGraph();
  for (const node of yielding(all)) {
    if (node) {
      if (!graph.nodes.has(node.id)) addNode(graph, readNode(node));
    } else yield;
  }
  for (const node of yielding(all)) {
    if (node) node.outEdges.forEach((edge) => addTold(graph, edge));
    else yield;
  }
  for (const told of all) {
    noteWhole(graph, told);
    yield;
  }
  return graph;
}

/** The nodes of all answers, and nothing now and then. */
function* yielding(all: Told[]): Generator<LineageNode | undefined> {
  let count = 0;
  for (const { answer } of all) {
    for (const node of answer.graph) {
      yield node;
      count += 1;
      if (count % AT_A_TIME === 0) yield undefined;
    }
  }
}

function addTold(graph: Graph, edge: Schemas["LineageEdge"]): void {
  const key = edgeKey(edge.origin, edge.destination);
  if (graph.edges.has(key)) return;
  addEdge(graph, { key, id: edge.id, from: edge.origin, to: edge.destination, byColumns: edge.from === "columns" });
}

function noteWhole(graph: Graph, { answer, start, direction, depth }: Told): void {
  graph.leftOut = Math.max(graph.leftOut, answer.hidden_nodes);
  const first = graph.nodes.get(start);
  if (!first || answer.truncated) return;
  const [next, whole] = direction === "upstream" ? [graph.into, graph.wholeUp] : [graph.outOf, graph.wholeDown];
  // One step of depth is a job and its far datasets; those at the last hop were not looked beyond.
  const last = first.kind === "job" ? 2 * depth + 1 : 2 * depth;
  const inAnswer = new Set(answer.graph.map((node) => node.id));
  for (const [id, hop] of hopsFrom(start, next, last - 1)) {
    if (inAnswer.has(id) && graph.nodes.get(id)?.kind === "dataset" && hop < last) whole.add(id);
  }
}

/** One graph of what two moments have; of what both have, the later one speaks. */
export function unionOf(before: Graph, after: Graph): Graph {
  const graph = emptyGraph();
  for (const one of [after, before]) {
    for (const node of one.nodes.values()) if (!graph.nodes.has(node.id)) addNode(graph, node);
    graph.leftOut = Math.max(graph.leftOut, one.leftOut);
  }
  for (const one of [after, before]) {
    for (const edge of one.edges.values()) if (!graph.edges.has(edge.key)) addEdge(graph, edge);
  }
  for (const id of after.wholeUp) if (before.wholeUp.has(id) || !before.nodes.has(id)) graph.wholeUp.add(id);
  for (const id of after.wholeDown) if (before.wholeDown.has(id) || !before.nodes.has(id)) graph.wholeDown.add(id);
  for (const id of before.wholeUp) if (!after.nodes.has(id)) graph.wholeUp.add(id);
  for (const id of before.wholeDown) if (!after.nodes.has(id)) graph.wholeDown.add(id);
  return graph;
}
