// The address of a graph's answer enters; it is fetched and read here, and leaves in parts that the page takes one by one.
import type { Asking, Part } from "./parts";

const AT_A_TIME = 250;
const underWay = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<Asking>) => {
  if ("drop" in data) underWay.get(data.drop)?.abort();
  else void answer(data.id, data.url);
};

function tell(part: Part): void {
  self.postMessage(part);
}

async function answer(id: number, url: string): Promise<void> {
  const control = new AbortController();
  underWay.set(id, control);
  try {
    const response = await fetch(url, { signal: control.signal });
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok || !isGraph(body)) {
      tell({ id, refused: body ?? null });
      return;
    }
    const { graph, ...rest } = body;
    for (let from = 0; from < graph.length; from += AT_A_TIME) {
      tell({ id, nodes: graph.slice(from, from + AT_A_TIME).map(slim) });
    }
    tell({ id, rest });
  } catch {
    tell({ id, refused: null });
  } finally {
    underWay.delete(id);
  }
}

function isGraph(body: unknown): body is { graph: Record<string, unknown>[] } {
  return typeof body === "object" && body !== null && "graph" in body && Array.isArray(body.graph);
}

/** Each edge stands at both of its ends: once is enough. */
function slim(node: Record<string, unknown>): Record<string, unknown> {
  return "inEdges" in node ? { ...node, inEdges: [] } : node;
}
