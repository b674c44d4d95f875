// The runs of a job over time: a bar each, as high as it was long, before what is usual; silences are hatched.
import { useMemo, useState } from "react";
import { stateText, toneOf } from "../model/states";
import { durationText, minuteText, secondText, utcText, millis } from "../model/times";
import styles from "./RunTimeline.module.css";
import { type Gap, layOut, type TimelineRun, type Usual } from "./RunTimelineLayout";
import { useNow } from "./Time";

interface Props<Run extends TimelineRun> {
  label: string;
  /** The latest first. */
  runs: readonly Run[];
  usual: Usual;
  gaps?: readonly Gap[];
  /** Ids of runs that are marked. */
  marked?: readonly string[];
  onOpen?: (run: Run) => void;
  /** More lines for the box beside the pointer. */
  told?: (run: Run) => React.ReactNode;
}

export function RunTimeline<Run extends TimelineRun>(props: Props<Run>) {
  const { label, runs, usual, gaps = [], marked = [], onOpen, told } = props;
  const now = useNow();
  const layout = useMemo(() => layOut(runs, usual, gaps, now), [runs, usual, gaps, now]);
  const [hovered, setHovered] = useState<(typeof layout.bars)[number]>();
  if (runs.length === 0) return null;
  const width = `clamp(2px, ${layout.step * 0.85}%, 14px)`;
  const hasFailed = runs.some((run) => toneOf(run.state) === "bad");
  return (
    <figure className={styles.timeline} aria-label={label}>
      <div className={styles.plot} onPointerLeave={() => setHovered(undefined)}>
        {layout.ticks.map((tick) => (
          <span key={tick.ms} className={styles.tick} style={{ bottom: `${tick.bottom}%` }} aria-hidden="true">
            <b>{tick.ms === 0 ? "0" : durationText(tick.ms)}</b>
          </span>
        ))}
        {layout.band && (
          <span
            className={styles.band}
            style={{ bottom: `${layout.band.bottom}%`, height: `${layout.band.height}%` }}
            aria-hidden="true"
          />
        )}
        <div className={styles.bars}>
          {layout.gaps.map(({ gap, left, width: wide }) => (
            <span
              key={gap.from}
              className={styles.gap}
              style={{ left: `${left}%`, width: `${wide}%` }}
              title={`No run for ${durationText(gap.seconds * 1000)}`}
            />
          ))}
          {layout.bars.map((bar) => (
            <span
              key={bar.run.id}
              className={styles.bar}
              data-tone={toneOf(bar.run.state)}
              data-long={bar.run.longerThanUsual || undefined}
              data-marked={marked.includes(bar.run.id) || undefined}
              style={{ left: `${bar.left}%`, width }}
              onPointerEnter={() => setHovered(bar)}
              onClick={() => onOpen?.(bar.run)}
            >
              <i data-open={bar.open || undefined} style={{ height: `max(3px, ${bar.height}%)` }} />
            </span>
          ))}
        </div>
        {hovered && (
          <div
            className={styles.tip}
            data-side={hovered.left > 60 ? "left" : "right"}
            style={{ left: `${hovered.left}%` }}
          >
            <div title={utcText(millis(hovered.run.startedAt))}>{secondText(millis(hovered.run.startedAt))}</div>
            <div>
              {stateText(hovered.run.state)}, <b>{durationText(hovered.ms)}</b>
              {hovered.open && " so far"}
              {hovered.run.longerThanUsual && ", longer than usual"}
            </div>
            {told?.(hovered.run)}
          </div>
        )}
      </div>
      <div className={styles.moments} aria-hidden="true">
        <span>{minuteText(layout.from)}</span>
        <span>{minuteText(layout.to)}</span>
      </div>
      <figcaption className={styles.legend}>
        {layout.band && usual.p50Ms !== null && usual.p95Ms !== null && (
          <span>
            <i className={styles.bandKey} aria-hidden="true" />
            usual: {durationText(usual.p50Ms)} (p50) to {durationText(usual.p95Ms)} (p95)
          </span>
        )}
        {layout.bars.some((bar) => bar.run.longerThanUsual) && (
          <span>
            <i className={styles.longKey} aria-hidden="true" />
            longer than usual, with a cap
          </span>
        )}
        {hasFailed && (
          <span>
            <i className={styles.badKey} aria-hidden="true" />
            failed, with a dot below
          </span>
        )}
        {layout.gaps.length > 0 && (
          <span>
            <i className={styles.gapKey} aria-hidden="true" />
            longer silence than usual
          </span>
        )}
      </figcaption>
    </figure>
  );
}
