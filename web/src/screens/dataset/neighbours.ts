// The jobs next to a dataset: who writes it and who reads it.
import type { Schemas } from "../../api/client";
import { type Name, nodeId } from "../../model/nodes";

export type JobNode = Schemas["JobNode"];

export interface Neighbours {
  producers: JobNode[];
  consumers: JobNode[];
}

/** Of a dataset only its edges are read. */
type Node = JobNode | Pick<Schemas["DatasetNode"], "id" | "type" | "inEdges" | "outEdges">;

export function neighboursOf(graph: Node[], dataset: Name): Neighbours {
  const jobs = new Map<string, JobNode>();
  for (const node of graph) if (node.type === "JOB") jobs.set(node.id, node);
  const self = graph.find((node) => node.id === nodeId("dataset", dataset));
  const jobsAt = (ids: string[]) => {
    const found = [...new Set(ids)].flatMap((id) => jobs.get(id) ?? []);
    return found.sort((a, b) => (a.data.name < b.data.name ? -1 : 1));
  };
  return {
    producers: jobsAt(self?.inEdges.map((edge) => edge.origin) ?? []),
    consumers: jobsAt(self?.outEdges.map((edge) => edge.destination) ?? []),
  };
}
