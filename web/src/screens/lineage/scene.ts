// Groups, nodes and columns become boxes with sizes and the lines between them: what is laid out and drawn.
import { shortName } from "../../model/nodes";
import { type ColumnGraph, isIndirect, type Rows, rowsOf } from "./columns";
import type { Graph, GraphNode } from "./graph";
import type { Group, Grouped } from "./groups";

/** Of boxes, which are as narrow as their words allow: more is legible at once. */
const [NARROWEST, WIDEST] = [132, 232];
/** Of a letter, and of what stands beside it: icons, states, margins. From afar names are larger, and states are dots. */
const [NAME, BESIDE_NAME, FAR_NAME, BESIDE_FAR_NAME, CELL, BESIDE_CELL] = [7.6, 92, 11.2, 68, 7.2, 40];
export const HEAD = 46;
export const ROW = 20;
const FOOT = 4;

export interface NodeBox {
  kind: "node";
  id: string;
  width: number;
  height: number;
  node: GraphNode;
  /** Undefined where columns aren't shown. */
  rows: Rows | undefined;
  /** All columns are shown, because someone asked. */
  isTall: boolean;
  /** Its columns could be shown, and someone asked not to. */
  isFolded: boolean;
}

export interface GroupBox {
  kind: "group";
  id: string;
  width: number;
  height: number;
  group: Group;
}

export type Box = NodeBox | GroupBox;

export interface Line {
  id: string;
  from: string;
  to: string;
  /** How far under the top of the box the line begins and ends. */
  fromY: number;
  toY: number;
  kind: "table" | "column";
  /** Keys of the edges, of tables or of columns, that it stands for. */
  of: string[];
  /** Only the lineage of columns tells of it, or it only decides about rows. */
  isSoft: boolean;
}

export interface Scene {
  boxes: Map<string, Box>;
  lines: Map<string, Line>;
}

export interface Columns {
  graph: ColumnGraph;
  tall: ReadonlySet<string>;
  folded: ReadonlySet<string>;
}

export function sceneOf(graph: Graph, grouped: Grouped, columns: Columns | undefined): Scene {
  const boxes = new Map<string, Box>();
  for (const group of grouped.groups.values()) {
    boxes.set(group.id, { kind: "group", id: group.id, width: WIDEST, height: 64, group });
  }
  for (const id of grouped.singles) {
    const node = graph.nodes.get(id);
    if (node) boxes.set(id, nodeBox(node, columns));
  }
  const lines = new Map<string, Line>();
  for (const { key, from, to, of } of grouped.edges.values()) {
    const isSoft = of.every((edge) => graph.edges.get(edge)?.byColumns);
    lines.set(key, {
      id: key,
      from,
      to,
      fromY: middle(boxes, from),
      toY: middle(boxes, to),
      kind: "table",
      of,
      isSoft,
    });
  }
  if (columns) addColumnLines(boxes, lines, columns.graph);
  return { boxes, lines };
}

function nodeBox(node: GraphNode, columns: Columns | undefined): NodeBox {
  const isTall = columns?.tall.has(node.id) ?? false;
  const isFolded = node.kind === "dataset" && (columns?.folded.has(node.id) ?? false);
  const withRows = columns && node.kind === "dataset" && !isFolded;
  const found = withRows ? rowsOf(node, columns.graph, isTall) : undefined;
  const rows = found && found.shown.length > 0 ? found : undefined;
  const below = rows ? (rows.shown.length + (rows.hidden > 0 || isTall ? 1 : 0)) * ROW + FOOT : 0;
  return {
    kind: "node",
    id: node.id,
    width: widthOf(node, rows),
    height: HEAD + below,
    node,
    rows,
    isTall,
    isFolded,
  };
}

function widthOf(node: GraphNode, rows: Rows | undefined): number {
  const letters = shortName(node.name).length;
  const head = Math.max(letters * NAME + BESIDE_NAME, letters * FAR_NAME + BESIDE_FAR_NAME);
  const cells = (rows?.shown ?? []).map((row) => (row.name.length + row.type.length) * CELL + BESIDE_CELL);
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, head, ...cells)));
}

function middle(boxes: ReadonlyMap<string, Box>, id: string): number {
  const box = boxes.get(id);
  return box?.kind === "group" ? box.height / 2 : HEAD / 2;
}

/** Columns that aren't shown end where the box says how many more there are, or at its head. */
function addColumnLines(boxes: ReadonlyMap<string, Box>, lines: Map<string, Line>, graph: ColumnGraph): void {
  const places = new Map<string, Map<string, number>>();
  for (const box of boxes.values()) {
    if (box.kind === "node" && box.rows) {
      places.set(box.id, new Map(box.rows.shown.map((row, at) => [row.id, HEAD + at * ROW + ROW / 2])));
    }
  }
  const yOf = (dataset: string, column: string): number | undefined => {
    const box = boxes.get(dataset);
    if (box?.kind !== "node") return undefined;
    if (!box.rows || column === dataset) return HEAD / 2;
    return places.get(dataset)?.get(column) ?? box.height - FOOT - ROW / 2;
  };
  for (const edge of graph.edges.values()) {
    const from = graph.columns.get(edge.from)?.dataset;
    const to = graph.columns.get(edge.to)?.dataset;
    if (from === undefined || to === undefined) continue;
    const fromY = yOf(from, edge.from);
    const toY = yOf(to, edge.to);
    if (fromY === undefined || toY === undefined) continue;
    const id = `column ${from}\n${fromY}\n${to}\n${toY}`;
    const found = lines.get(id);
    const isSoft = isIndirect(edge);
    if (found) {
      found.of.push(edge.key);
      found.isSoft &&= isSoft;
    } else {
      lines.set(id, { id, from, to, fromY, toY, kind: "column", of: [edge.key], isSoft });
    }
  }
}
