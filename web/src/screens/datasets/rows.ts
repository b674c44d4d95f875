// A dataset as the list shows it. Whole answers hold every facet: a list of thousands keeps only what it shows.
import type { Schemas } from "../../api/client";

export interface Row {
  namespace: string;
  name: string;
  fields: number;
  tags: string[];
  description: string | null;
  updatedAt: string;
  namedOnly: boolean;
}

type Shown = "namespace" | "name" | "fields" | "tags" | "description" | "updatedAt" | "namedOnly";

export function rowOf(dataset: Pick<Schemas["DatasetAnswer"], Shown>): Row {
  const { namespace, name, fields, tags, description, updatedAt, namedOnly = false } = dataset;
  return { namespace, name, fields: fields.length, tags, description, updatedAt, namedOnly };
}

export type Sort = "name" | "updated" | "fields";

/** What can be compared is sorted here; beyond this many rows the hub's order by name stays. */
export const MOST_SORTED = 1_000;

export function sorted(rows: Row[], sort: Sort): Row[] {
  const byName = (a: Row, b: Row) => compare(a.name, b.name) || compare(a.namespace, b.namespace);
  const by: Record<Sort, (a: Row, b: Row) => number> = {
    name: byName,
    updated: (a, b) => compare(b.updatedAt, a.updatedAt) || byName(a, b),
    fields: (a, b) => b.fields - a.fields || byName(a, b),
  };
  return [...rows].sort(by[sort]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a search found a dataset by, beside its name: `column customer_id`. */
export function foundIn(result: Schemas["SearchResult"]): { field: string; value: string } | undefined {
  const match = result.matches.find(({ field }) => field !== "name" && field !== "namespace");
  return match && { field: FIELD_WORDS[match.field] ?? match.field, value: match.value };
}

const FIELD_WORDS: Record<string, string> = { columnDescription: "about a column", alias: "other name" };
