// Nodes and a way to group them become fewer boxes: closed groups, with exact counts of what they hide, and single nodes.
import { manyText } from "../../model/numbers";
import { everyFolder, type Grouping, type Level, type Places, placesIn } from "./folders";
import { edgeKey, type Graph, type GraphNode } from "./graph";

export interface Group {
  id: string;
  title: string;
  /** What kind of thing the title is. */
  by: Level["by"];
  members: string[];
  datasets: number;
  jobs: number;
  /** Edges between its members, which aren't drawn. */
  edgesInside: number;
}

export interface BoxEdge {
  key: string;
  from: string;
  to: string;
  /** The edges of the graph that it stands for. */
  of: string[];
}

export interface Grouped {
  groups: Map<string, Group>;
  singles: Set<string>;
  /** The box that each node is in: itself, or a group. */
  boxOf: Map<string, string>;
  edges: Map<string, BoxEdge>;
}

/** More boxes than this are too many to look at, and too slow to lay out. */
export const MOST_BOXES = 800;
const NEAREST = 120;
const MOST_OF_A_GROUP = 200;

interface Asked {
  grouping: Grouping;
  /** Ids of groups that a person opened. */
  open: ReadonlySet<string>;
  /** Never within a group. */
  start: string;
  keep?: ReadonlySet<string>;
}

export function groupNodes(graph: Graph, shown: ReadonlySet<string>, { grouping, open, start, keep }: Asked): Grouped {
  const nodes = [...shown].flatMap((id) => graph.nodes.get(id) ?? []);
  const sorter = new Sorter(graph, open);
  const alone = new Set([start, ...(keep ?? [])]);
  const chosen = placesIn(graph, grouping, new Set(alone));
  if (boxesOf(nodes, chosen) <= MOST_BOXES) {
    sorter.sort(nodes, alone, chosen);
  } else {
    for (const id of nearest(graph, shown, start, NEAREST)) alone.add(id);
    const range = rangeOf(nodes);
    sorter.sort(nodes, alone, (node) => {
      const at = chosen(node);
      if (at.length > 0) return at;
      const wide = range(node.namespace);
      return wide.length > 0 ? [...wide, ...everyFolder(node)] : everyFolder(node);
    });
  }
  return wire(graph, shown, sorter.groups, sorter.singles);
}

function boxesOf(nodes: GraphNode[], places: Places): number {
  const titles = new Set<string>();
  let alone = 0;
  for (const node of nodes) {
    const at = places(node)[0];
    if (at) titles.add(at.title);
    else alone += 1;
  }
  return titles.size + alone;
}

/** Hundreds of namespaces are themselves too many: then so many of them, by name, are one folder. */
function rangeOf(nodes: GraphNode[]): (namespace: string) => Level[] {
  const names = [...new Set(nodes.map((node) => node.namespace))].sort();
  if (names.length <= MOST_OF_A_GROUP) return () => [];
  const size = Math.ceil(names.length / (MOST_OF_A_GROUP / 2));
  const ranges = new Map<string, Level[]>();
  for (let first = 0; first < names.length; first += size) {
    const part = names.slice(first, first + size);
    const level: Level = { by: "names", title: `${part[0]} … ${part.at(-1)}` };
    for (const name of part) ranges.set(name, [level]);
  }
  return (namespace) => ranges.get(namespace) ?? [];
}

/** The nodes nearest to one, whatever way the arrows point. */
export function nearest(graph: Graph, shown: ReadonlySet<string>, start: string, most: number): string[] {
  const found = new Set([start]);
  // A set is walked in the order in which it grows, and so by distance.
  for (const id of found) {
    if (found.size >= most) break;
    for (const side of [graph.into.get(id), graph.outOf.get(id)]) {
      for (const one of side ?? []) if (shown.has(one)) found.add(one);
    }
  }
  return [...found].slice(0, most);
}

/** Puts nodes into their folders, and opens those that a person opened. */
class Sorter {
  readonly groups = new Map<string, Group>();
  readonly singles = new Set<string>();

  constructor(
    private readonly graph: Graph,
    private readonly open: ReadonlySet<string>,
  ) {}

  sort(nodes: GraphNode[], alone: ReadonlySet<string>, places: Places): void {
    const rest = nodes.filter((node) => !alone.has(node.id));
    this.single(nodes.filter((node) => alone.has(node.id)));
    this.fill(rest, 0, places);
  }

  private single(nodes: GraphNode[]): void {
    for (const node of nodes) this.singles.add(node.id);
  }

  private fill(nodes: GraphNode[], level: number, places: Places): void {
    const folders = new Map<string, { at: Level; inside: GraphNode[] }>();
    for (const node of nodes) {
      const at = places(node)[level];
      if (!at) {
        this.singles.add(node.id);
        continue;
      }
      const key = `${at.by}:${at.title}`;
      const found = folders.get(key);
      if (found) found.inside.push(node);
      else folders.set(key, { at, inside: [node] });
    }
    for (const [key, { at, inside }] of folders) {
      const id = `group:${key}`;
      if (inside.length === 1) this.single(inside);
      else if (!this.open.has(id)) this.groups.set(id, groupOf(id, at, inside, this.graph));
      else if (inside.length > MOST_OF_A_GROUP) this.openLarge(id, inside, level, places);
      else this.single(inside);
    }
  }

  /** By the next folders if there are any; else by name, so many at a time. */
  private openLarge(parent: string, inside: GraphNode[], level: number, places: Places): void {
    this.fill(
      inside.filter((node) => places(node).length > level + 1),
      level + 1,
      places,
    );
    const flat = inside.filter((node) => places(node).length <= level + 1);
    if (flat.length <= MOST_OF_A_GROUP) {
      this.single(flat);
      return;
    }
    flat.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1));
    const size = MOST_OF_A_GROUP / 2;
    for (let first = 0; first < flat.length; first += size) {
      const part = flat.slice(first, first + size);
      const id = `${parent} ${first}`;
      const title = `${part[0]?.name} … ${part.at(-1)?.name}`;
      if (this.open.has(id)) this.single(part);
      else this.groups.set(id, groupOf(id, { by: "names", title }, part, this.graph));
    }
  }
}

function groupOf(id: string, { by, title }: Level, nodes: GraphNode[], graph: Graph): Group {
  const members = nodes.map((node) => node.id).sort();
  const within = new Set(members);
  let edgesInside = 0;
  for (const member of members) {
    for (const next of graph.outOf.get(member) ?? []) if (within.has(next)) edgesInside += 1;
  }
  const jobs = nodes.filter((node) => node.kind === "job").length;
  return { id, title, by, members, jobs, datasets: nodes.length - jobs, edgesInside };
}

function wire(graph: Graph, shown: ReadonlySet<string>, groups: Map<string, Group>, singles: Set<string>): Grouped {
  const boxOf = new Map<string, string>();
  for (const id of singles) boxOf.set(id, id);
  for (const group of groups.values()) for (const id of group.members) boxOf.set(id, group.id);
  const edges = new Map<string, BoxEdge>();
  for (const id of shown) {
    const from = boxOf.get(id);
    if (from === undefined) continue;
    const isGroup = groups.has(from);
    for (const next of graph.outOf.get(id) ?? []) {
      const to = boxOf.get(next);
      if (to === undefined || (isGroup && from === to)) continue;
      const own = edgeKey(id, next);
      const key = from === id && to === next ? own : edgeKey(from, to);
      const found = edges.get(key);
      if (found) found.of.push(own);
      else edges.set(key, { key, from, to, of: [own] });
    }
  }
  return { groups, singles, boxOf, edges };
}

/** What a closed group hides, in words. */
export function hiddenOf({ datasets, jobs, edgesInside }: Pick<Group, "datasets" | "jobs" | "edgesInside">): string {
  const parts = [
    datasets > 0 && manyText(datasets, "dataset"),
    jobs > 0 && manyText(jobs, "job"),
    manyText(edgesInside, "edge"),
  ];
  return parts.filter(Boolean).join(", ");
}
