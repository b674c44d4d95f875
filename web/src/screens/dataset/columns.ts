// The columns of a dataset with all that is known of each: type, words, what it is made from and what it feeds.
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";

export type Input = Schemas["InputField"];

export interface FieldName extends Name {
  field: string;
}

export interface ColumnRow {
  /** `address.city` of `city` within `address`: as lineage and history name it. */
  path: string;
  name: string;
  depth: number;
  type: string | null;
  description: string | null;
  tags: string[];
  inputs: Input[];
  feeds: FieldName[];
  /** False for a column that lineage tells of and the schema doesn't. */
  inSchema: boolean;
}

type Dataset = Pick<Schemas["DatasetAnswer"], "namespace" | "name" | "fields" | "facets" | "columnLineage">;
type Graph = Pick<Schemas["ColumnGraph"], "graph">;

/** In the order of the schema, those inside of others after them; then those that only lineage knows. */
export function columnsOf(dataset: Dataset, graph?: Graph): ColumnRow[] {
  const inputs = new Map(dataset.columnLineage.map((one) => [one.name, one.inputFields]));
  const feeds = feedsOf(dataset, graph);
  const tagged = tagsOf(dataset.facets.tags);
  const inside = new Map(listOf(dataset.facets.schema, "fields").map((field) => [textOf(field, "name"), field]));
  const row = (path: string, name: string, depth: number): ColumnRow => ({
    path,
    name,
    depth,
    type: null,
    description: null,
    tags: [],
    inputs: sortedInputs(inputs.get(path) ?? []),
    feeds: feeds.get(path) ?? [],
    inSchema: true,
  });
  const rows: ColumnRow[] = [];
  const addInside = (field: unknown, above: string, depth: number) => {
    for (const child of listOf(field, "fields")) {
      const name = textOf(child, "name");
      if (name === null || depth > DEEPEST) continue;
      const path = `${above}.${name}`;
      const described = { type: textOf(child, "type"), description: textOf(child, "description") };
      rows.push({ ...row(path, name, depth), ...described, tags: tagged.get(path) ?? [] });
      addInside(child, path, depth + 1);
    }
  };
  for (const { name, type, description, tags } of dataset.fields) {
    rows.push({ ...row(name, name, 0), type, description, tags });
    addInside(inside.get(name), name, 1);
  }
  const known = new Set(rows.map((one) => one.path));
  const others = [...new Set([...inputs.keys(), ...feeds.keys()])].filter((path) => !known.has(path)).sort();
  return [...rows, ...others.map((path) => ({ ...row(path, path, 0), inSchema: false }))];
}

const DEEPEST = 32;

/** What decides which rows there are: filters, joins and the like, told of the dataset as a whole. */
export function rowInputsOf({ namespace, name }: Name, graph?: Graph): Input[] {
  const whole = graph?.graph.find(
    ({ type, data }) => type === "DATASET" && data.namespace === namespace && data.dataset === name,
  );
  return sortedInputs(whole?.data.inputFields ?? []);
}

function feedsOf({ namespace, name }: Name, graph?: Graph): Map<string, FieldName[]> {
  const nodes = new Map(graph?.graph.map((node) => [node.id, node]));
  const feeds = new Map<string, FieldName[]>();
  for (const { data, outEdges } of nodes.values()) {
    if (data.namespace !== namespace || data.dataset !== name || data.field === null) continue;
    const found = outEdges.flatMap(({ destination }) => {
      const target = nodes.get(destination)?.data;
      // A whole dataset has no field: the column decides about its rows.
      return target ? [{ namespace: target.namespace, name: target.dataset, field: target.field ?? "" }] : [];
    });
    if (found.length > 0) feeds.set(data.field, found);
  }
  return feeds;
}

export function isDirect(input: Input): boolean {
  return (
    input.transformations.length === 0 || input.transformations.some(({ type }) => type.toUpperCase() !== "INDIRECT")
  );
}

/** What goes into the value before what only decides about it. */
function sortedInputs(inputs: Input[]): Input[] {
  return [...inputs.filter(isDirect), ...inputs.filter((one) => !isDirect(one))];
}

/** `identity`, `aggregation`, `join`: in the words of the producer, each once. */
export function waysOf(input: Input): string[] {
  const told = input.transformations.map(
    ({ type, subtype, masking }) => `${subtype || type}${masking ? ", masked" : ""}`,
  );
  const words = told.length > 0 ? told : [input.transformationType ?? ""];
  return [...new Set(words.map((word) => word.toLowerCase().replaceAll("_", " ")))].filter(Boolean);
}

export function matching(rows: ColumnRow[], words: string): ColumnRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const textOfRow = (row: ColumnRow) =>
    [row.path, row.type, row.description, ...row.tags].filter(Boolean).join(" ").toLowerCase();
  return rows.filter((row) => wanted.every((word) => textOfRow(row).includes(word)));
}

function tagsOf(facet: unknown): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const tag of listOf(facet, "tags")) {
    const [field, key, value] = [textOf(tag, "field"), textOf(tag, "key"), textOf(tag, "value")];
    if (!field || !key) continue;
    found.set(field, [...(found.get(field) ?? []), value && value !== "true" ? `${key}:${value}` : key]);
  }
  return found;
}

// A facet holds what its producer sent: each part is looked at before it is used.
function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown, name: string): string | null {
  const text = memberOf(value, name);
  return typeof text === "string" && text !== "" ? text : null;
}
