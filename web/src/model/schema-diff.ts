// A change of a schema as marks that can be read line by line, and in a few words.
import type { Schemas } from "../api/client";

export type MarkKind = "added" | "removed" | "changed" | "renamed" | "moved" | "described";

export interface Mark {
  kind: MarkKind;
  /** The column from then on; of a removed one, what it was called. */
  column: string;
  /** What was before and what is now: types, names or places; null where there was none. */
  before: string | null;
  after: string | null;
  /** Why it is taken for a new name of the same column. */
  because?: string[];
}

type Change = Schemas["SchemaDifference"];

/** What changes meaning first: gone, new, of another type, under another name; then order and words. */
export function marksOf(change: Change): Mark[] {
  return [
    ...change.removed.map(({ name, type }): Mark => ({ kind: "removed", column: name, before: type, after: null })),
    ...change.added.map(({ name, type }): Mark => ({ kind: "added", column: name, before: null, after: type })),
    ...change.changed.map(({ name, from, to }): Mark => ({ kind: "changed", column: name, before: from, after: to })),
    ...change.likelyRenamed.map(({ from, to, because }): Mark => ({
      kind: "renamed",
      column: to,
      before: from,
      after: to,
      because,
    })),
    ...change.moved.map(({ name, from, to }): Mark => ({
      kind: "moved",
      column: name,
      before: String(from),
      after: String(to),
    })),
    ...change.described.map((name): Mark => ({ kind: "described", column: name, before: null, after: null })),
  ];
}

/** A sign beside the colour, which never tells alone. */
export const SIGNS: Record<MarkKind, string> = {
  added: "+",
  removed: "−",
  changed: "~",
  renamed: "→",
  moved: "↕",
  described: "¶",
};

export const WORDS: Record<MarkKind, string> = {
  added: "added",
  removed: "removed",
  changed: "type changed",
  renamed: "likely renamed",
  moved: "moved",
  described: "described anew",
};

/** `2 added, 1 removed`; what didn't happen isn't told. */
export function summaryOf(marks: Mark[]): string {
  const counts = new Map<MarkKind, number>();
  for (const { kind } of marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const told = [...counts].map(([kind, count]) => `${count} ${WORDS[kind]}`);
  return told.join(", ") || "nothing that is shown";
}

/** Whether who reads the dataset may break: a column is gone, or isn't what it was. */
export function mayBreak(marks: Mark[]): boolean {
  return marks.some(({ kind }) => kind === "removed" || kind === "changed" || kind === "renamed");
}
