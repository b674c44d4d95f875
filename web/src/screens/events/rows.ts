// Events as they were sent, and messages of the stream, become rows; a filter keeps some of them.
import type { Name } from "../../model/nodes";

export const KINDS = ["RunEvent", "JobEvent", "DatasetEvent"] as const;
export type Kind = (typeof KINDS)[number];

export interface EventRow {
  id: string;
  at: string;
  kind: Kind;
  type: string | null;
  job: Name | undefined;
  dataset: Name | undefined;
  run: string | null;
  inputs: Name[];
  outputs: Name[];
  inputCount: number;
  outputCount: number;
  producer: string | null;
}

export interface Filter {
  kind: Kind | "";
  type: string;
  text: string;
}

const NAMES_KEPT = 20;

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function nameOf(value: unknown): Name | undefined {
  const { namespace, name } = record(value);
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}

function namesOf(value: unknown): Name[] {
  return (Array.isArray(value) ? value : []).map(nameOf).filter((one) => one !== undefined);
}

/** Only what a row shows is kept: pages of whole events would fill the memory. */
export function rowOfEvent(id: string, event: Record<string, unknown>): EventRow {
  const run = text(record(event.run).runId);
  const dataset = nameOf(event.dataset);
  const inputs = namesOf(event.inputs);
  const outputs = namesOf(event.outputs);
  return {
    id,
    at: text(event.eventTime) ?? "",
    kind: run !== null ? "RunEvent" : event.job != null ? "JobEvent" : "DatasetEvent",
    type: text(event.eventType)?.toUpperCase() ?? null,
    job: nameOf(event.job),
    dataset,
    run,
    inputs: inputs.slice(0, NAMES_KEPT),
    outputs: outputs.slice(0, NAMES_KEPT),
    inputCount: inputs.length,
    outputCount: outputs.length,
    producer: text(event.producer),
  };
}

export function rowOfMessage(message: Record<string, unknown>): EventRow {
  const inputs = namesOf(message.inputs);
  const outputs = namesOf(message.outputs);
  return {
    id: text(message.id) ?? "",
    at: text(message.eventTime) ?? "",
    kind: message.kind === "JobEvent" || message.kind === "DatasetEvent" ? message.kind : "RunEvent",
    type: text(message.eventType),
    job: nameOf(message.job),
    dataset: nameOf(message.dataset),
    run: text(message.run),
    inputs: inputs.slice(0, NAMES_KEPT),
    outputs: outputs.slice(0, NAMES_KEPT),
    inputCount: typeof message.inputsCount === "number" ? message.inputsCount : inputs.length,
    outputCount: typeof message.outputsCount === "number" ? message.outputsCount : outputs.length,
    producer: null,
  };
}

export function isFiltering(filter: Filter): boolean {
  return filter.kind !== "" || filter.type !== "" || filter.text.trim() !== "";
}

/** Every word must stand in a name, a namespace, the run's id or the producer. */
export function keeps(filter: Filter, row: EventRow): boolean {
  if (filter.kind !== "" && row.kind !== filter.kind) return false;
  if (filter.type !== "" && row.type !== filter.type) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const names = [row.job, row.dataset, ...row.inputs, ...row.outputs].filter((one) => one !== undefined);
  const texts = [row.run ?? "", row.producer ?? "", ...names.flatMap((one) => [one.namespace, one.name])].map((one) =>
    one.toLowerCase(),
  );
  return words.every((word) => texts.some((one) => one.includes(word)));
}

/** Pages of a list that grows meanwhile overlap: each event is shown once. */
export function withoutRepeats(rows: EventRow[]): EventRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(row.id) && seen.add(row.id));
}

/** What tells producers apart, first: `dbt 1.54.0` of an address at a repository's host. */
export function producerText(producer: string): string {
  const short = producer.replace(/^https?:\/\//, "").replace(/\/+$/, "");
  const [, repository = "", version = "", path = ""] =
    /^[^/]+\/[^/]+\/([^/]+)\/(?:tree|blob|releases\/tag)\/([^/]+)(?:\/(.*))?$/.exec(short) ?? [];
  if (version === "") return short;
  // `providers-openlineage/2.9.1` is a tag with a slash in it.
  const [name, number] = /^v?\d/.test(version)
    ? [path, version]
    : /^v?\d/.test(path)
      ? [version, path]
      : [path, version];
  return `${name.slice(name.lastIndexOf("/") + 1) || repository} ${number}`;
}
