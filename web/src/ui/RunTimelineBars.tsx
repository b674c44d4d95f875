import { stateText, toneOf } from "../model/states";
import { durationText, millis, minuteText } from "../model/times";
import styles from "./RunTimeline.module.css";

interface Run {
  id: string;
  state: string;
  startedAt: string | null;
  durationMs: number | null;
}

/** The last runs as small bars, the latest at the right: as high as they were long, failed ones with a dot below. */
export function RunTimelineBars({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return <span aria-label="no runs">–</span>;
  const longest = Math.max(...runs.map((run) => run.durationMs ?? 0), 1);
  return (
    <span className={styles.small} role="img" aria-label={barsText(runs)}>
      {[...runs].reverse().map((run) => (
        <span key={run.id} data-tone={toneOf(run.state)} title={title(run)}>
          <i style={{ height: `max(3px, ${((run.durationMs ?? longest / 2) / longest) * 100}%)` }} />
        </span>
      ))}
    </span>
  );
}

function title(run: Run): string {
  const words = [stateText(run.state)];
  if (run.durationMs !== null) words.push(durationText(run.durationMs));
  if (run.startedAt !== null) words.push(minuteText(millis(run.startedAt)));
  return words.join(", ");
}

/** `last 3 runs: 2 completed, 1 failed`. */
export function barsText(runs: readonly Pick<Run, "state">[]): string {
  const counts = new Map<string, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  const told = [...counts].map(([state, count]) => `${count} ${stateText(state)}`).join(", ");
  return `last ${runs.length === 1 ? "run" : `${runs.length} runs`}: ${told}`;
}
