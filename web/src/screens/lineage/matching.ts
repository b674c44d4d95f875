// Words and nodes become those that match: every word must stand somewhere in the name, namespace, tags or columns.
import type { GraphNode } from "./graph";

export function matching(nodes: Iterable<GraphNode>, text: string, withColumns: boolean): Set<string> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Set<string>();
  if (words.length === 0) return found;
  for (const node of nodes) {
    const columns = withColumns ? node.fields.map((field) => field.name) : [];
    const where = [node.namespace, node.name, node.kind, ...node.tags, ...columns].join("\n").toLowerCase();
    if (words.every((word) => where.includes(word))) found.add(node.id);
  }
  return found;
}
