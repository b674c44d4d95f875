// Boxes and lines go to ELK in a worker of its own; its places come back. Only the last question is answered.
import ELK, { type ElkNode, type ELK as Engine } from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Joined, Layout, Point, Sized } from "./placing";

let engine: Engine | undefined;
let isBusy = false;

/** Stops what is being laid out: a picture that nobody looks at any more isn't worth waiting for. */
export function dropLayouts(): void {
  if (!isBusy) return;
  engine?.terminateWorker();
  engine = undefined;
  isBusy = false;
}

export async function refine(boxes: Sized[], lines: Joined[]): Promise<Layout> {
  dropLayouts();
  engine ??= new ELK({ workerUrl, algorithms: ["layered"] });
  const mine = engine;
  isBusy = true;
  try {
    return layoutOf(await mine.layout(questionOf(boxes, lines)));
  } finally {
    // A worker that was ended never answers; one that failed is ready for the next question.
    if (mine === engine) isBusy = false;
  }
}

/** Ready before it is needed: loading and starting takes longer than laying out a small graph. */
export function warmUp(): () => void {
  engine ??= new ELK({ workerUrl, algorithms: ["layered"] });
  return () => {
    engine?.terminateWorker();
    engine = undefined;
    isBusy = false;
  };
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.randomSeed": "1",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.spacing.nodeNode": "18",
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "8",
  "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.layered.spacing.edgeNodeBetweenLayers": "20",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "6",
  "elk.layered.feedbackEdges": "true",
};

/** Many boxes get a quicker answer: nobody sees a crossing less among hundreds. */
function effort(size: number): Record<string, string> {
  if (size <= 150) return { "elk.layered.thoroughness": "7" };
  return {
    "elk.layered.thoroughness": size <= 300 ? "4" : "1",
    "elk.layered.layering.strategy": "LONGEST_PATH_SOURCE",
  };
}

export function questionOf(boxes: Sized[], lines: Joined[]): ElkNode {
  const ports = new Map<string, Map<string, number>>(boxes.map(({ id }) => [id, new Map()]));
  const edges = lines.flatMap((line) => {
    const out = `${line.from} > ${line.fromY}`;
    const into = `${line.to} < ${line.toY}`;
    const [first, last] = [ports.get(line.from), ports.get(line.to)];
    if (!first || !last) return [];
    first.set(out, line.fromY);
    last.set(into, line.toY);
    return [{ id: line.id, sources: [out], targets: [into] }];
  });
  return {
    id: "all",
    layoutOptions: { ...OPTIONS, ...effort(boxes.length + edges.length / 4) },
    children: boxes.map(({ id, width, height }) => ({
      id,
      width,
      height,
      layoutOptions: { "elk.portConstraints": "FIXED_POS", "elk.alignment": "LEFT" },
      ports: [...(ports.get(id) ?? [])].map(([port, y]) => {
        const isOut = port.startsWith(`${id} > `);
        return {
          id: port,
          x: isOut ? width : 0,
          y,
          width: 0,
          height: 0,
          layoutOptions: { "elk.port.side": isOut ? "EAST" : "WEST" },
        };
      }),
    })),
    edges,
  };
}

export function layoutOf(answer: ElkNode): Layout {
  const at = new Map<string, Point>();
  const ways = new Map<string, Point[]>();
  for (const { id, x = 0, y = 0 } of answer.children ?? []) at.set(id, { x, y });
  for (const { id, sections = [] } of answer.edges ?? []) {
    ways.set(
      id,
      sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]),
    );
  }
  return { at, ways, width: answer.width ?? 0, height: answer.height ?? 0 };
}
