import { expect, it } from "vitest";
import { addNode, emptyGraph } from "./graph";
import { link, node } from "./random";
import { askedNodes } from "./useMoments";

it("histories are asked of the nearest nodes first, whichever way the arrows point, and of no more than a few", () => {
  const graph = emptyGraph();
  const ids = ["dataset:n:far", "job:n:b", "dataset:n:start", "job:n:a", "dataset:n:up", "dataset:n:apart"];
  for (const id of ids) addNode(graph, node(id));
  link(graph, "dataset:n:up", "job:n:a");
  link(graph, "job:n:a", "dataset:n:start");
  link(graph, "dataset:n:start", "job:n:b");
  link(graph, "job:n:b", "dataset:n:far");
  const picture = { graph, start: "dataset:n:start", shown: new Set(ids) };
  expect(askedNodes(picture, 3).map((one) => one.name)).toEqual(["start", "a", "b"]);
  expect(askedNodes(picture, 80).map((one) => one.name)).toEqual(["start", "a", "b", "up", "far", "apart"]);
  expect(askedNodes({ ...picture, shown: new Set(["dataset:n:start", "dataset:n:up"]) }, 80)).toHaveLength(2);
});
