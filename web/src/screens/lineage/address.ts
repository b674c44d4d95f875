// The view of the graph in the page's address: a link restores it.
import type { Grouping } from "./folders";
import type { More } from "./visible";

export interface Place {
  x: number;
  y: number;
  zoom: number;
}

export interface View {
  /** What the picture is about. */
  node: string;
  up: number;
  down: number;
  /** Nodes at the rim that were opened further, in that order. */
  more: More[];
  columns: boolean;
  /** The column that is pinned: its id, or a field of the node that the picture is about. */
  column: string;
  directOnly: boolean;
  /** Datasets that show all their columns, and those that show none. */
  tall: string[];
  folded: string[];
  grouping: Grouping;
  open: string[];
  /** The two ends of a path. */
  path: string;
  to: string;
  filter: string;
  at: string;
  from: string;
  selected: string;
  edge: string;
  as: "graph" | "list" | "";
  place: Place | null;
}

export const DEFAULT_DEPTH = 3;
export const MOST_DEPTH = 100;
const GROUPINGS: Grouping[] = ["auto", "namespace", "tag", "path"];

function depthFrom(text: string | null): number {
  const depth = text === null || text === "" ? DEFAULT_DEPTH : Number(text);
  return Number.isInteger(depth) && depth >= 0 ? Math.min(depth, MOST_DEPTH) : DEFAULT_DEPTH;
}

function placeFrom(text: string | null): Place | null {
  const parts = (text ?? "").split(",").map(Number);
  const [x, y, zoom] = parts;
  if (parts.length !== 3 || x === undefined || y === undefined || zoom === undefined) return null;
  return parts.every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : null;
}

function moreFrom(text: string): More[] {
  if (text.startsWith("u:")) return [{ direction: "upstream", node: text.slice(2) }];
  if (text.startsWith("d:")) return [{ direction: "downstream", node: text.slice(2) }];
  return [];
}

function momentFrom(text: string | null): string {
  return text !== null && !Number.isNaN(Date.parse(text)) ? text : "";
}

export function readView(params: URLSearchParams): View {
  const as = params.get("as");
  return {
    node: params.get("node") ?? "",
    up: depthFrom(params.get("up")),
    down: depthFrom(params.get("down")),
    more: params.getAll("more").flatMap(moreFrom),
    columns: params.get("columns") === "1",
    column: params.get("column") ?? "",
    directOnly: params.get("direct") === "1",
    tall: params.getAll("tall"),
    folded: params.getAll("folded"),
    grouping: GROUPINGS.find((one) => one === params.get("group")) ?? "auto",
    open: params.getAll("open"),
    path: params.get("path") ?? "",
    to: params.get("to") ?? "",
    filter: params.get("filter") ?? "",
    at: momentFrom(params.get("at")),
    from: momentFrom(params.get("from")),
    selected: params.get("selected") ?? "",
    edge: params.get("edge") ?? "",
    as: as === "list" || as === "graph" ? as : "",
    place: placeFrom(params.get("place")),
  };
}

/** Only what differs from what is there without it. */
export function writeView(view: View): URLSearchParams {
  const params = new URLSearchParams();
  const put = (name: string, value: string, otherwise = "") => {
    if (value !== otherwise) params.set(name, value);
  };
  put("node", view.node);
  put("up", String(view.up), String(DEFAULT_DEPTH));
  put("down", String(view.down), String(DEFAULT_DEPTH));
  for (const { direction, node } of view.more) params.append("more", `${direction === "upstream" ? "u" : "d"}:${node}`);
  put("columns", view.columns ? "1" : "");
  put("column", view.column);
  put("direct", view.directOnly ? "1" : "");
  for (const id of view.tall) params.append("tall", id);
  for (const id of view.folded) params.append("folded", id);
  put("group", view.grouping, "auto");
  for (const id of view.open) params.append("open", id);
  put("path", view.path);
  put("to", view.to);
  put("filter", view.filter);
  put("at", view.at);
  put("from", view.from);
  put("selected", view.selected);
  put("edge", view.edge);
  put("as", view.as);
  if (view.place) {
    const { x, y, zoom } = view.place;
    params.set("place", `${Math.round(x)},${Math.round(y)},${Number(zoom.toFixed(3))}`);
  }
  return params;
}

/** The same picture around another node: what belongs to the old one goes. */
export function startAt(view: View, node: string): View {
  return {
    ...view,
    node,
    more: [],
    open: [],
    column: "",
    tall: [],
    folded: [],
    path: "",
    to: "",
    selected: node,
    edge: "",
    place: null,
  };
}
