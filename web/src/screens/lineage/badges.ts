// What is known of a node's state becomes a word and a tone; what is as it should be says nothing.
import { type Tone, toneOf, stateText } from "../../model/states";
import type { GraphNode } from "./graph";
import type { Badge } from "./questions";

export interface Word {
  text: string;
  tone: Tone;
  /** As it should be: a dot is enough. */
  isQuiet: boolean;
}

export function wordsOf(node: GraphNode, badge: Badge | undefined): Word[] {
  const words: Word[] = [];
  if (node.deleted) words.push({ text: "dropped", tone: "idle", isQuiet: false });
  if (node.kind === "job") {
    const state = badge?.type === "JOB" ? badge.lastRunState : (node.run?.state ?? null);
    if (state !== null) words.push({ text: stateText(state), tone: toneOf(state), isQuiet: state === "COMPLETED" });
  } else if (badge?.type === "DATASET") {
    const { freshness, failing, passing } = badge;
    if (freshness !== "unknown")
      words.push({ text: freshness, tone: toneOf(freshness), isQuiet: freshness === "fresh" });
    if (failing > 0) words.push({ text: `${failing} failing`, tone: "bad", isQuiet: false });
    else if (passing > 0) words.push({ text: `${passing} passing`, tone: "ok", isQuiet: true });
  }
  return words;
}

/** For who can't see the dots. */
export function labelOf(node: GraphNode, words: Word[]): string {
  return [`${node.kind} ${node.name}`, node.namespace, ...words.map((word) => word.text)].join(", ");
}
