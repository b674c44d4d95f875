import { expect, it } from "vitest";
import { changesOf } from "./versions";

const name = (text: string) => ({ namespace: "pg", name: text });

it("tells which datasets came and went", () => {
  const before = { inputs: [name("a"), name("b")], outputs: [name("x")] };
  const after = { inputs: [name("b"), name("c")], outputs: [name("x")] };
  expect(changesOf(before, after)).toEqual([
    { kind: "added", side: "input", of: name("c") },
    { kind: "removed", side: "input", of: name("a") },
  ]);
  expect(changesOf(before, before)).toEqual([]);
});
