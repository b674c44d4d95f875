// States of runs, datasets and checks, and the one tone that each has everywhere.
export type Tone = "ok" | "warn" | "bad" | "busy" | "idle";

const TONES: Record<string, Tone> = {
  COMPLETED: "ok",
  RUNNING: "busy",
  NEW: "idle",
  FAILED: "bad",
  ABORTED: "warn",
  COMPLETE: "ok",
  FAIL: "bad",
  ABORT: "warn",
  START: "busy",
  fresh: "ok",
  due: "warn",
  late: "bad",
  unknown: "idle",
  passing: "ok",
  failing: "bad",
};

export function toneOf(state: string | null | undefined): Tone {
  return (state != null && TONES[state]) || "idle";
}

/** Runs of pipelines have the names of their last events; they end in the same words as any other run. */
const WORDS: Record<string, string> = { COMPLETE: "completed", FAIL: "failed", ABORT: "aborted", START: "started" };

/** `COMPLETED` as `completed`: capitals shout. */
export function stateText(state: string | null | undefined): string {
  return state == null ? "never ran" : (WORDS[state] ?? state.toLowerCase().replaceAll("_", " "));
}

/** The type of an event, in the word that was sent: `complete`. */
export function typeText(type: string | null | undefined): string {
  return (type ?? "OTHER").toLowerCase();
}
