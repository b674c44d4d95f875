// What an answer about impact says, put together for reading: last uses, filters, names of files.
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";
import { shortName } from "../../model/nodes";

export type Affected = Schemas["Affected"];

export interface Group {
  /** Null for what nobody owns. */
  name: string | null;
  datasets: number;
  jobs: number;
  /** The latest among those that are shown. */
  lastUse: string | null;
}

/** Counts are the hub's and exact; the last use is that of the items it has shown. */
export function byNamespace({ byNamespace: groups, affected }: Schemas["Impact"]): Group[] {
  const last = lastUses(affected, (one) => [one.namespace]);
  return groups.map(({ namespace, datasets, jobs }) => ({
    name: namespace,
    datasets,
    jobs,
    lastUse: last.get(namespace) ?? null,
  }));
}

export function byOwner({ byOwner: groups, affected }: Schemas["Impact"]): Group[] {
  const last = lastUses(affected, (one) => (one.owners.length > 0 ? one.owners : [null]));
  return groups.map(({ owner, datasets, jobs }) => ({ name: owner, datasets, jobs, lastUse: last.get(owner) ?? null }));
}

function lastUses<Key>(affected: Affected[], keysOf: (one: Affected) => Key[]): Map<Key, string> {
  const found = new Map<Key, string>();
  for (const one of affected) {
    const at = one.lastUse?.at;
    if (!at) continue;
    for (const key of keysOf(one)) {
      const before = found.get(key);
      if (before === undefined || before < at) found.set(key, at);
    }
  }
  return found;
}

export interface Filter {
  words: string;
  type: string | null;
  via: string | null;
  namespace: string | null;
  /** NOBODY for what has none. */
  owner: string | null;
}

/** Stands in the address for what nobody owns; no owner's name begins with a blank. */
export const NOBODY = " ";

export function filtered(affected: Affected[], { words, type, via, namespace, owner }: Filter): Affected[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return affected.filter((one) => {
    if (type && one.type !== type) return false;
    if (via && one.via !== via) return false;
    if (namespace && one.namespace !== namespace) return false;
    if (owner === NOBODY ? one.owners.length > 0 : owner && !one.owners.includes(owner)) return false;
    const text = [one.namespace, one.name, ...one.owners, ...(one.columns ?? [])].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export interface Subject extends Name {
  kind: "dataset" | "job";
  column: string | null;
  /** Of a dataset, to choose another. */
  columns: string[];
}

interface Node {
  id: string;
  type: "JOB" | "DATASET";
  data: Name & { fields?: { name: string }[] };
}

/** The thing that a node id means. Names may hold colons, so the hub's own reading of the id decides. */
export function subjectOf(node: string, graph: Node[]): Subject | undefined {
  for (const { id, type, data } of graph) {
    const { namespace, name, fields = [] } = data;
    if (type === "JOB") {
      if (id === node) return { kind: "job", namespace, name, column: null, columns: [] };
      continue;
    }
    const prefix = fieldId(data, "");
    const column = node.startsWith(prefix) ? node.slice(prefix.length) : null;
    if (column === null && id !== node) continue;
    return { kind: "dataset", namespace, name, column, columns: fields.map((field) => field.name) };
  }
  return undefined;
}

export function fieldId({ namespace, name }: Name, column: string): string {
  return `datasetField:${namespace}:${name}:${column}`;
}

/** Without what file systems forbid. */
export function fileName({ name, column }: Pick<Subject, "name" | "column">, extension: string): string {
  const parts = ["impact", shortName(name), ...(column ? [column] : [])];
  return `${parts.join("-").replace(/[^\w.-]+/g, "_")}.${extension}`;
}
