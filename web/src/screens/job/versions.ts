// Two versions of a job enter; which datasets came and went leaves.
import type { Name } from "../../model/nodes";

interface Sides {
  inputs: readonly Name[];
  outputs: readonly Name[];
}

export interface Change {
  kind: "added" | "removed";
  side: "input" | "output";
  of: Name;
}

export function changesOf(before: Sides, after: Sides): Change[] {
  return [
    ...sideChanges("input", before.inputs, after.inputs),
    ...sideChanges("output", before.outputs, after.outputs),
  ];
}

function sideChanges(side: Change["side"], before: readonly Name[], after: readonly Name[]): Change[] {
  const key = (name: Name) => JSON.stringify([name.namespace, name.name]);
  const [old, fresh] = [new Set(before.map(key)), new Set(after.map(key))];
  return [
    ...after.filter((one) => !old.has(key(one))).map((of): Change => ({ kind: "added", side, of })),
    ...before.filter((one) => !fresh.has(key(one))).map((of): Change => ({ kind: "removed", side, of })),
  ];
}
