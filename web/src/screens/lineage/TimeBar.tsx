// The graph as of any moment, and two moments compared.
import { useEffect, useMemo, useState } from "react";
import { millis, secondText, utcText } from "../../model/times";
import { countText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { changeBeside, markedSteps, momentOf, momentText, STEPS, stepOf, type Stretch, stretchOf } from "./timeline";
import type { Moments } from "./useMoments";
import type { Change } from "./useView";
import styles from "./TimeBar.module.css";

interface Props {
  at: string;
  from: string;
  beginning: string | undefined;
  moments: Moments;
  change: Change;
}

export function TimeBar({ at, from, beginning, moments, change }: Props) {
  // The present of when the screen was opened: the slider's end doesn't run away.
  const [now] = useState(() => Date.now());
  const stretch = useMemo(() => stretchOf(beginning, now), [beginning, now]);
  const marks = useMemo(() => markedSteps(moments.all, stretch), [moments, stretch]);
  const here = at === "" ? now : millis(at);
  const earlier = changeBeside(moments.all, here, "before");
  const later = at === "" ? undefined : changeBeside(moments.all, here, "after");
  return (
    <div className={styles.bar} role="group" aria-label="Time">
      {from !== "" && (
        <div className={styles.line}>
          <Slider
            label="Compare with"
            value={from}
            stretch={stretch}
            marks={marks}
            onChange={(moment) => change({ from: moment || new Date(now).toISOString() })}
          />
        </div>
      )}
      <div className={styles.line}>
        <Slider
          label="As of"
          value={at}
          stretch={stretch}
          marks={marks}
          onChange={(moment) => change({ at: moment })}
        />
        <div className={styles.buttons}>
          <Button
            aria-label="Earlier change"
            disabled={earlier === undefined}
            onClick={() => earlier !== undefined && change({ at: earlier })}
          >
            ‹
          </Button>
          <Button
            aria-label="Later change"
            disabled={later === undefined}
            onClick={() => later !== undefined && change({ at: later })}
          >
            ›
          </Button>
          <Button disabled={at === ""} onClick={() => change({ at: "" })}>
            Now
          </Button>
          <Button
            pressed={from !== ""}
            onClick={() => change({ from: from === "" ? comparedWith(stretch, here) : "", edge: "" })}
          >
            Compare
          </Button>
        </div>
      </div>
      {moments.known < moments.total && (
        <p className={styles.cut}>
          Marks tell every change of the {countText(moments.known)} nearest nodes, and of all {countText(moments.total)}{" "}
          when they were first told of.
        </p>
      )}
    </div>
  );
}

/** A day before, or the beginning if that is nearer. */
function comparedWith(stretch: Stretch, at: number): string {
  return new Date(Math.max(stretch.from, at - 86_400_000)).toISOString();
}

interface SliderProps {
  label: string;
  value: string;
  stretch: Stretch;
  marks: number[];
  onChange: (moment: string) => void;
}

/** Follows the hand at once; the question is asked when it rests. */
function Slider({ label, value, stretch, marks, onChange }: SliderProps) {
  const step = value === "" ? STEPS : stepOf(millis(value), stretch);
  const [held, setHeld] = useState<number>();
  useEffect(() => setHeld(undefined), [value]);
  useEffect(() => {
    if (held === undefined || held === step) return;
    const timer = setTimeout(() => onChange(momentText(held, stretch)), 200);
    return () => clearTimeout(timer);
  });
  const shown =
    held === undefined || held === step ? (value === "" ? stretch.to : millis(value)) : momentOf(held, stretch);
  const isNow = held === undefined ? value === "" : held === STEPS;
  const text = isNow ? "now" : secondText(shown);
  return (
    <div className={styles.slider}>
      <label>
        <span className={styles.label}>{label}</span>
        <span className={styles.track}>
          <input
            type="range"
            aria-label={label}
            aria-valuetext={text}
            min={0}
            max={STEPS}
            value={held ?? step}
            onChange={(event) => setHeld(Number(event.target.value))}
          />
          <svg className={styles.ticks} viewBox={`0 0 ${STEPS} 1`} preserveAspectRatio="none" aria-hidden="true">
            {marks.map((x) => (
              <line key={x} x1={x} x2={x} y1="0" y2="1" vectorEffect="non-scaling-stroke" />
            ))}
          </svg>
        </span>
      </label>
      <time className={styles.moment} title={isNow ? undefined : utcText(shown)}>
        {text}
      </time>
    </div>
  );
}
