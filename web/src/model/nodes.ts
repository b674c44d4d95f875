// Ids of nodes, as the API spells them, and where in the page each thing is looked at.
export type NodeKind = "dataset" | "job" | "datasetField";

export interface Name {
  namespace: string;
  name: string;
}

export function nodeId(kind: "dataset" | "job", { namespace, name }: Name): string {
  return `${kind}:${namespace}:${name}`;
}

const part = encodeURIComponent;

export const paths = {
  home: () => "/",
  lineage: (node: string, more: Record<string, string> = {}) => `/lineage?${new URLSearchParams({ node, ...more })}`,
  datasets: () => "/datasets",
  dataset: ({ namespace, name }: Name) => `/datasets/${part(namespace)}/${part(name)}`,
  jobs: () => "/jobs",
  job: ({ namespace, name }: Name) => `/jobs/${part(namespace)}/${part(name)}`,
  run: (id: string) => `/runs/${part(id)}`,
  compareRuns: (id: string, other: string) => `/runs/${part(id)}/compare/${part(other)}`,
  impact: (node: string) => `/impact?${new URLSearchParams({ node })}`,
  pipelines: () => "/pipelines",
  pipelineRun: (id: string) => `/pipelines/runs/${part(id)}`,
  telemetry: () => "/telemetry",
  traces: () => "/traces",
  trace: (id: string) => `/traces/${part(id)}`,
  services: () => "/services",
  events: () => "/events",
  event: (id: string) => `/events/${part(id)}`,
  deadLetters: () => "/dead-letters",
};

/** The last part of a name, which people say: `orders` of `warehouse.sales.orders` and of `/data/orders`. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What tells runs of a job apart: ids that begin with a time have the same beginning, and differ at the end. */
export function shortRun(id: string): string {
  return UUID.test(id) ? id.slice(-8) : id.length > 16 ? `${id.slice(0, 15)}…` : id;
}

export function shortName(name: string): string {
  const trimmed = name.replace(/\/+$/, "");
  const path = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  if (path !== trimmed) return path || trimmed;
  const dotted = trimmed.slice(trimmed.lastIndexOf(".") + 1);
  return dotted || trimmed;
}
