import { expect, it } from "vitest";
import { countsText, greatestChange, runPairs } from "./comparison";

it("what stayed the same is not told", () => {
  expect(countsText({ same: 40, slower: 2, added: 1 })).toBe("1 added, 2 slower");
  expect(countsText({ same: 40 })).toBe("nothing changed");
});

it("the longest bar is the greatest change, either way", () => {
  expect(greatestChange([{ selfDifferenceNs: 3 }, { selfDifferenceNs: -7 }])).toBe(7);
  expect(greatestChange([])).toBe(0);
});

it("runs of one job are put beside each other, a run with itself isn't", () => {
  const run = (id: string, name: string) => ({ id, job: { namespace: "ns", name }, state: "COMPLETED" as const });
  const before = [run("1", "load"), run("2", "clean"), run("3", "clean"), run("9", "same")];
  const after = [run("4", "clean"), run("5", "report"), run("9", "same")];
  expect(runPairs(before, after)).toEqual([{ job: { namespace: "ns", name: "clean" }, from: "3", to: "4" }]);
});
