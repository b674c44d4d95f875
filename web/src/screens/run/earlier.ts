// Of the runs before a run: which one to compare it with, and what is usual.
import type { Schemas } from "../../api/client";

type TimelineRun = Schemas["TimelineRun"];

export interface Earlier {
  before: TimelineRun | undefined;
  lastGood: TimelineRun | undefined;
}

/** `runs` are those that started earlier, the latest first. */
export function earlierOf(runs: readonly TimelineRun[], id: string): Earlier {
  const others = runs.filter((run) => run.id !== id);
  return { before: others[0], lastGood: others.find((run) => run.state === "COMPLETED") };
}
