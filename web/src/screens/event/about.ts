// An event and what rules made of its names: which job, run and datasets it speaks of, under the names they have here.
import { type Name, shortName } from "../../model/nodes";
import { typeText } from "../../model/states";

export interface Rewritten {
  kind: "job" | "dataset";
  from: Name;
  to: Name;
}

export interface Mention extends Name {
  /** The name in the event, where rules made another of it. */
  sentAs: Name | undefined;
}

export interface About {
  kind: "run" | "job" | "dataset";
  type: string | null;
  producer: string | null;
  schema: string | null;
  run: string | null;
  parentRun: string | null;
  job: Mention | undefined;
  inputs: Mention[];
  outputs: Mention[];
  dataset: Mention | undefined;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function aboutOf(sent: unknown, rewritten: Rewritten[] = []): About {
  const event = record(sent);
  const mention = (kind: "job" | "dataset", value: unknown): Mention | undefined => {
    const { namespace, name } = record(value);
    if (typeof namespace !== "string" || typeof name !== "string") return undefined;
    const rule = rewritten.find(
      (one) => one.kind === kind && one.from.namespace === namespace && one.from.name === name,
    );
    return rule ? { ...rule.to, sentAs: { namespace, name } } : { namespace, name, sentAs: undefined };
  };
  const mentions = (value: unknown) =>
    (Array.isArray(value) ? value : []).map((one) => mention("dataset", one)).filter((one) => one !== undefined);
  const run = text(record(event.run).runId);
  const parent = record(record(record(event.run).facets).parent);
  return {
    kind: run !== null ? "run" : event.job != null ? "job" : "dataset",
    type: text(event.eventType)?.toUpperCase() ?? null,
    producer: text(event.producer),
    schema: text(event.schemaURL),
    run,
    parentRun: text(record(parent.run).runId),
    job: mention("job", event.job),
    inputs: mentions(event.inputs),
    outputs: mentions(event.outputs),
    dataset: mention("dataset", event.dataset),
  };
}

/** `load: complete`, as short as it can be told. */
export function titleOf(about: About): string {
  const name = shortName((about.job ?? about.dataset)?.name ?? "");
  const what = about.kind === "run" ? typeText(about.type) : `of a ${about.kind}`;
  return name ? `${name}: ${what}` : what;
}
