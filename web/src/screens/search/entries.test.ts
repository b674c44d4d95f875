import { expect, it } from "vitest";
import type { Place } from "../../model/places";
import { groupsFor, type Result } from "./entries";

const orders: Place = { kind: "dataset", namespace: "pg", name: "orders" };
const load: Place = { kind: "job", namespace: "shop", name: "load" };
const titles = (groups: { title: string; entries: { key: string }[] }[]) =>
  groups.map((group) => [group.title, ...group.entries.map((entry) => entry.key)]);

it("before typing: stars, then what was looked at and isn't starred, then screens", () => {
  const [stars, recent, screens] = groupsFor("", [], [orders], [load, orders]);
  expect(titles([stars, recent].filter((one) => one !== undefined))).toEqual([
    ["Starred", "dataset:pg:orders"],
    ["Recent", "job:shop:load"],
  ]);
  expect(screens?.entries.length).toBe(9);
});

it("groups without entries are left out", () => {
  expect(groupsFor("", [], [], []).map((one) => one.title)).toEqual(["Screens"]);
  expect(groupsFor("nothing like it", [], [orders], [load])).toEqual([]);
});

it("a result leads to its screen, and to its lineage", () => {
  const result: Result = {
    type: "JOB",
    namespace: "a/b",
    name: "load",
    nodeId: "job:a/b:load",
    matches: [],
    tags: [],
    owners: [],
    use: { linked: 1, lastAt: "2026-11-01T00:00:00Z" },
  };
  expect(groupsFor("load", [result], [], [])[0]?.entries[0]).toMatchObject({
    href: "/jobs/a%2Fb/load",
    lineage: "/lineage?node=job%3Aa%2Fb%3Aload",
  });
});

it("ids are opened by what they look like", () => {
  const first = (text: string) => groupsFor(text, [], [], [])[0]?.entries[0]?.href;
  expect(first("0198a6f0-1111-7222-8333-444455556666")).toBe("/runs/0198a6f0-1111-7222-8333-444455556666");
  expect(first(` ${"ab".repeat(16)} `)).toBe(`/traces/${"ab".repeat(16)}`);
  expect(first("ab".repeat(24))).toBe(`/events/${"ab".repeat(24)}`);
});

it("screens are found by a part of their title", () => {
  expect(groupsFor("lett", [], [], [])[0]?.entries[0]?.href).toBe("/dead-letters");
});
