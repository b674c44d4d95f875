// What the hub told of columns becomes a graph of them; a column becomes all that feeds it and all that it feeds.
import type { Schemas } from "../../api/client";
import type { GraphNode } from "./graph";

export interface Column {
  id: string;
  /** The node it stands in, and its name. */
  dataset: string;
  of: string;
  /** Null stands for the whole dataset: what decides about its rows. */
  field: string | null;
  type: string;
}

export interface Transformation {
  type: string;
  subtype: string;
  description: string;
}

export interface ColumnEdge {
  key: string;
  from: string;
  to: string;
  how: Transformation[];
}

export interface ColumnGraph {
  columns: Map<string, Column>;
  edges: Map<string, ColumnEdge>;
  into: Map<string, ColumnEdge[]>;
  outOf: Map<string, ColumnEdge[]>;
  /** The columns of each dataset, without the whole. */
  of: Map<string, string[]>;
  leftOut: number;
}

export interface Closure {
  start: string;
  up: Set<string>;
  down: Set<string>;
  /** Keys of edges. */
  edges: Set<string>;
}

export function columnId(dataset: { namespace: string; name: string }, field: string | null): string {
  const { namespace, name } = dataset;
  return field === null ? `dataset:${namespace}:${name}` : `datasetField:${namespace}:${name}:${field}`;
}

export function emptyColumns(): ColumnGraph {
  return { columns: new Map(), edges: new Map(), into: new Map(), outOf: new Map(), of: new Map(), leftOut: 0 };
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const found = lists.get(key) ?? [];
  lists.set(key, found);
  return found;
}

export function addColumn(graph: ColumnGraph, column: Column): void {
  if (graph.columns.has(column.id)) return;
  graph.columns.set(column.id, column);
  if (column.field !== null) listIn(graph.of, column.dataset).push(column.id);
}

export function addColumnEdge(graph: ColumnGraph, from: string, to: string, how: Transformation[]): void {
  const key = `${from}\n${to}`;
  if (graph.edges.has(key)) return;
  const edge = { key, from, to, how };
  graph.edges.set(key, edge);
  listIn(graph.into, to).push(edge);
  listIn(graph.outOf, from).push(edge);
}

export function readColumns(answers: Schemas["ColumnGraph"][]): ColumnGraph {
  const graph = emptyColumns();
  for (const { graph: nodes, hidden_nodes } of answers) {
    graph.leftOut = Math.max(graph.leftOut, hidden_nodes);
    for (const { id, data } of nodes) {
      const dataset = columnId({ namespace: data.namespace, name: data.dataset }, null);
      addColumn(graph, { id, dataset, of: data.dataset, field: data.field, type: data.fieldType });
    }
  }
  for (const { graph: nodes } of answers) {
    for (const { id, data } of nodes) {
      for (const input of data.inputFields) {
        const from = columnId({ namespace: input.namespace, name: input.dataset }, input.field);
        if (graph.columns.has(from)) addColumnEdge(graph, from, id, howOf(input));
      }
    }
  }
  return graph;
}

type Input = Schemas["ColumnNode"]["data"]["inputFields"][number];

function howOf({ transformations, transformationType, transformationDescription }: Input): Transformation[] {
  if (transformations.length > 0) {
    return transformations.map(({ type, subtype, description }) => ({
      type: type ?? "",
      subtype: subtype ?? "",
      description: description ?? "",
    }));
  }
  if (transformationType === null && transformationDescription === null) return [];
  return [{ type: transformationType ?? "", subtype: "", description: transformationDescription ?? "" }];
}

/** It decides about rows (a filter, a join, an order), and gives no value. */
export function isIndirect(edge: ColumnEdge): boolean {
  return edge.how.length > 0 && edge.how.every(({ type }) => type.toUpperCase() === "INDIRECT");
}

export function howText({ type, subtype }: Transformation): string {
  const words = [type, subtype].filter((word) => word !== "").map((word) => word.toLowerCase().replaceAll("_", " "));
  return words.length > 0 ? words.join(", ") : "not told";
}

/** All that feeds a column and all that it feeds. What goes into a whole dataset goes into each of its columns. */
export function closureOf(graph: ColumnGraph, start: string, directOnly = false): Closure {
  const edges = new Set<string>();
  const counts = (edge: ColumnEdge) => !directOnly || !isIndirect(edge);
  const up = walk(start, (id) => {
    const column = graph.columns.get(id);
    const found = (graph.into.get(id) ?? []).filter(counts);
    for (const edge of found) edges.add(edge.key);
    const next = found.map((edge) => edge.from);
    const whole = column?.dataset;
    if (whole !== undefined && column?.field !== null && graph.into.get(whole)?.some(counts)) next.push(whole);
    return next;
  });
  const down = walk(start, (id) => {
    const found = (graph.outOf.get(id) ?? []).filter(counts);
    for (const edge of found) edges.add(edge.key);
    const next = found.map((edge) => edge.to);
    if (graph.columns.get(id)?.field === null) next.push(...(graph.of.get(id) ?? []));
    return next;
  });
  return { start, up, down, edges };
}

function walk(start: string, next: (id: string) => string[]): Set<string> {
  const seen = new Set<string>();
  const queue = [start];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const one of next(id)) {
      if (one !== start && !seen.has(one)) {
        seen.add(one);
        queue.push(one);
      }
    }
  }
  return seen;
}

export interface Rows {
  shown: { id: string; name: string; type: string; linked: boolean }[];
  /** How many more there are. */
  hidden: number;
}

const FEW_ROWS = 8;

/** The columns that a box shows: of many, those that lineage tells of come before the others; the order stays. */
export function rowsOf(node: GraphNode, graph: ColumnGraph, all: boolean): Rows {
  const rows = node.fields.map(({ name, type }) => ({ id: columnId(node, name), name, type: type ?? "" }));
  const known = new Set(rows.map((row) => row.id));
  for (const id of graph.of.get(node.id) ?? []) {
    const column = graph.columns.get(id);
    if (column && !known.has(id)) rows.push({ id, name: column.field ?? "", type: column.type });
  }
  const linked = (id: string) => graph.into.has(id) || graph.outOf.has(id);
  const marked = rows.map((row) => ({ ...row, linked: linked(row.id) }));
  if (all || rows.length <= FEW_ROWS + 1) return { shown: marked, hidden: 0 };
  const first = [...marked.filter((row) => row.linked), ...marked.filter((row) => !row.linked)].slice(0, FEW_ROWS);
  const chosen = new Set(first.map((row) => row.id));
  return { shown: marked.filter((row) => chosen.has(row.id)), hidden: rows.length - FEW_ROWS };
}
