import { expect, it } from "vitest";
import { emptyColumns, addColumn } from "./columns";
import { drawingOf, escapeXml } from "./drawing";
import { groupNodes } from "./groups";
import { place } from "./placing";
import { randomGraph } from "./random";
import { scaleOf } from "./saving";
import { sceneOf } from "./scene";

it("the whole picture is in the drawing, whatever is in sight", () => {
  const graph = randomGraph(3, 40);
  const [start = ""] = graph.nodes.keys();
  const grouped = groupNodes(graph, new Set(graph.nodes.keys()), { grouping: "auto", open: new Set(), start });
  const columns = emptyColumns();
  addColumn(columns, { id: "c", dataset: start, of: "t", field: "amount <eur>", type: "INT" });
  const scene = sceneOf(graph, grouped, { graph: columns, tall: new Set(), folded: new Set() });
  const layout = place([...scene.boxes.values()], [...scene.lines.values()]);
  const { svg, width, height } = drawingOf(scene, layout, undefined, "Lineage of <a>", (token) => token);
  for (const { name } of graph.nodes.values()) expect(svg).toContain(`>${name.split("/").at(-1)}</text>`);
  expect(svg.match(/<path /g)?.length).toBe(graph.edges.size);
  expect(svg).toContain("amount &lt;eur&gt;");
  expect(svg).toContain("<title>Lineage of &lt;a&gt;</title>");
  expect(width).toBeGreaterThan(layout.width);
  expect(height).toBeGreaterThan(layout.height);
});

it("names may hold anything", () => {
  expect(escapeXml('a<b>&"\u0001')).toBe("a&lt;b&gt;&amp;&quot;\ufffd");
});

it("a picture is never larger than a browser draws", () => {
  expect(scaleOf({ width: 1_000, height: 500 })).toBe(2);
  expect(100_000 * scaleOf({ width: 100_000, height: 50 })).toBeLessThanOrEqual(8_192);
  const scale = scaleOf({ width: 8_000, height: 8_000 });
  expect(8_000 * scale * 8_000 * scale).toBeLessThanOrEqual(64_000_001);
});
