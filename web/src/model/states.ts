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

/** `COMPLETED` as `completed`: capitals shout. */
export function stateText(state: string | null | undefined): string {
  return state == null ? "never ran" : state.toLowerCase().replaceAll("_", " ");
}
