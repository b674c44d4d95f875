// Differences between two moments become a mark for each node and edge, and a list with counts.
import type { Schemas } from "../../api/client";
import { edgeKey } from "./graph";

export type Mark = "added" | "removed" | "changed";
export const SIGNS: Record<Mark, string> = { added: "+", removed: "−", changed: "~" };

type Diff = Schemas["LineageDiff"];
type Arrow = Diff["edges"]["added"][number];

export interface Changes {
  nodes: Map<string, Mark>;
  /** By the key of the edge. */
  edges: Map<string, Mark>;
  columns: { mark: Mark; from: string; to: string }[];
  schemas: Diff["schemas"];
  counts: Record<Mark, number>;
}

/** Of several answers, one for each direction; what one says once counts once. */
export function changesOf(answers: Diff[]): Changes {
  const nodes = new Map<string, Mark>();
  const edges = new Map<string, Mark>();
  const columns = new Map<string, { mark: Mark; from: string; to: string }>();
  const schemas = new Map<string, Diff["schemas"][number]>();
  const eachArrow = (arrows: Diff["edges"], put: (key: string, mark: Mark, arrow: Arrow) => void) => {
    for (const mark of ["added", "removed"] as const) {
      for (const arrow of arrows[mark]) put(edgeKey(arrow.origin, arrow.destination), mark, arrow);
    }
  };
  for (const answer of answers) {
    for (const mark of ["added", "removed"] as const) for (const id of answer.nodes[mark]) nodes.set(id, mark);
    eachArrow(answer.edges, (key, mark) => edges.set(key, mark));
    eachArrow(answer.columns, (key, mark, { origin, destination }) =>
      columns.set(key, { mark, from: origin, to: destination }),
    );
    for (const schema of answer.schemas) schemas.set(schema.dataset, schema);
  }
  for (const dataset of schemas.keys()) if (!nodes.has(dataset)) nodes.set(dataset, "changed");
  const counts: Record<Mark, number> = { added: 0, removed: 0, changed: 0 };
  for (const mark of [...nodes.values(), ...edges.values()]) counts[mark] += 1;
  return { nodes, edges, columns: [...columns.values()], schemas: [...schemas.values()], counts };
}

/** How many of the nodes of a group are marked: a closed group hides nothing silently. */
export function marksWithin(members: string[], nodes: ReadonlyMap<string, Mark>): number {
  return members.reduce((sum, id) => sum + (nodes.has(id) ? 1 : 0), 0);
}

export function schemaText({ added, removed, changed }: Diff["schemas"][number]): string {
  return [
    ...added.map((name) => `${SIGNS.added}${name}`),
    ...removed.map((name) => `${SIGNS.removed}${name}`),
    ...changed.map(({ name, from, to }) => `${SIGNS.changed}${name}: ${from || "no type"} → ${to || "no type"}`),
  ].join(", ");
}
