import { describe, expect, it } from "vitest";
import { addNode, emptyGraph, type Graph } from "./graph";
import { type Grouping } from "./folders";
import { type Grouped, groupNodes, hiddenOf, MOST_BOXES } from "./groups";
import { link, node, randomGraph } from "./random";

/** Whatever the groups: each node is in one box, and each edge is drawn once or counted in one group. */
function isExact(graph: Graph, shown: Set<string>, { groups, singles, boxOf, edges }: Grouped): void {
  const members = [...groups.values()].flatMap((group) => group.members);
  expect([...members, ...singles].sort()).toEqual([...shown].sort());
  expect(members.every((id) => groups.get(boxOf.get(id) ?? "")?.members.includes(id))).toBe(true);
  const wanted = [...graph.edges.values()].filter(({ from, to }) => shown.has(from) && shown.has(to));
  const drawn = [...edges.values()].flatMap((edge) => edge.of);
  const inside = wanted.filter(({ from, to }) =>
    [...groups.values()].some(({ members: all }) => all.includes(from) && all.includes(to)),
  );
  expect(drawn.length + inside.length).toBe(wanted.length);
  expect(new Set([...drawn, ...inside.map((edge) => edge.key)]).size).toBe(wanted.length);
  for (const { members: all, datasets, jobs, edgesInside } of groups.values()) {
    expect(datasets).toBe(all.filter((id) => id.startsWith("dataset:")).length);
    expect(jobs).toBe(all.filter((id) => id.startsWith("job:")).length);
    expect(edgesInside).toBe(wanted.filter(({ from, to }) => all.includes(from) && all.includes(to)).length);
  }
}

describe("groupNodes", () => {
  it.each<Grouping>(["auto", "namespace", "tag", "path"])("counts exactly what it hides, grouped %s", (grouping) => {
    for (let seed = 0; seed < 15; seed += 1) {
      const graph = randomGraph(seed, 20);
      [...graph.nodes.values()].forEach((one, at) => one.tags.push(...(at % 3 === 0 ? ["pii"] : [])));
      const ids = [...graph.nodes.keys()];
      const shown = new Set(ids.slice(0, 16));
      const start = ids[0] ?? "";
      const closed = groupNodes(graph, shown, { grouping, open: new Set(), start });
      isExact(graph, shown, closed);
      expect(closed.singles.has(start)).toBe(true);
      const [first] = closed.groups.keys();
      if (first === undefined) continue;
      const opened = groupNodes(graph, shown, { grouping, open: new Set([first]), start });
      isExact(graph, shown, opened);
      expect(opened.groups.has(first)).toBe(false);
    }
  });

  it("by tag, a job that touches nothing but datasets of one closed group is in it", () => {
    const graph = emptyGraph();
    const tagged = (id: string, ...tags: string[]) => addNode(graph, node(id, { tags }));
    for (const id of ["a", "b", "c"]) tagged(`dataset:n:${id}`, "pii", "zone");
    tagged("dataset:n:paid", "finance");
    tagged("dataset:n:start", "pii");
    tagged("dataset:n:plain");
    const jobs = {
      within: ["a", "b", "c"],
      across: ["a", "paid"],
      out: ["b", "plain"],
      first: ["c", "start"],
      idle: [],
    };
    for (const [job, datasets] of Object.entries(jobs)) {
      addNode(graph, node(`job:n:${job}`));
      datasets.forEach((name, at) => {
        if (at === 0) link(graph, `dataset:n:${name}`, `job:n:${job}`);
        else link(graph, `job:n:${job}`, `dataset:n:${name}`);
      });
    }
    const shown = new Set(graph.nodes.keys());
    const asked = { grouping: "tag" as const, start: "dataset:n:start" };
    const closed = groupNodes(graph, shown, { ...asked, open: new Set() });
    isExact(graph, shown, closed);
    expect(
      [...closed.groups.values()].map(({ id, title, by, datasets, jobs, edgesInside }) => ({
        id,
        title,
        by,
        datasets,
        jobs,
        edgesInside,
      })),
    ).toEqual([{ id: "group:tag:pii", title: "pii", by: "tag", datasets: 3, jobs: 1, edgesInside: 3 }]);
    expect(closed.boxOf.get("job:n:within")).toBe("group:tag:pii");
    for (const job of ["across", "out", "first", "idle"]) expect(closed.singles.has(`job:n:${job}`)).toBe(true);
    const opened = groupNodes(graph, shown, { ...asked, open: new Set(["group:tag:pii"]) });
    expect(opened.singles).toEqual(shown);
  });

  it("leaves a graph that can be looked at as it is", () => {
    const graph = randomGraph(1, 40);
    const grouped = groupNodes(graph, new Set(graph.nodes.keys()), { grouping: "auto", open: new Set(), start: "" });
    expect(grouped.groups.size).toBe(0);
  });

  it.each([
    ["one namespace, no folders", () => "ns", (at: number) => `t${at}`],
    ["one namespace, folders", () => "ns", (at: number) => `lake/${at % 7}/t${at}`],
    ["a namespace for each", (at: number) => `ns${at}`, (at: number) => `t${at}`],
  ])("makes thousands of nodes few boxes, also opened: %s", (_, namespace, name) => {
    const graph = emptyGraph();
    const ids = Array.from({ length: 5_000 }, (_none, at) => `dataset:${namespace(at)}:${name(at)}`);
    for (const id of ids) addNode(graph, node(id));
    for (let at = 1; at < ids.length; at += 1) link(graph, ids[Math.floor(at / 2)] ?? "", ids[at] ?? "");
    const shown = new Set(ids);
    const open = new Set<string>();
    for (let depth = 0; depth < 4; depth += 1) {
      const grouped = groupNodes(graph, shown, { grouping: "auto", open, start: ids[0] ?? "" });
      const hidden = [...grouped.groups.values()].reduce((sum, group) => sum + group.members.length, 0);
      expect(grouped.singles.size + hidden).toBe(ids.length);
      expect(grouped.singles.size + grouped.groups.size).toBeLessThanOrEqual(MOST_BOXES);
      const largest = [...grouped.groups.values()].sort((a, b) => b.members.length - a.members.length)[0];
      if (largest) open.add(largest.id);
    }
  });
});

it("says what a group hides", () => {
  expect(hiddenOf({ datasets: 1, jobs: 1_200, edgesInside: 0 })).toBe("1 dataset, 1,200 jobs, 0 edges");
});
