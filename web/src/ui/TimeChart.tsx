// Values over time as lines, areas or stacked bars, drawn as SVG; the same figures as a table for who can't see them.
import { useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { shortText } from "../model/numbers";
import { minuteText } from "../model/times";
import { frameOf } from "./chartFrame";
import { areWhole, type Band, heights, momentsOf, nearest, painted, type Series } from "./moments";
import { Axes, Drawing } from "./TimeChartDrawing";
import { Figures, Tip } from "./TimeChartFigures";
import styles from "./TimeChart.module.css";

export type { Band, Point, Series } from "./moments";

interface Props {
  label: string;
  series: Series[];
  /** `bars` are stacked, one stack for each moment. */
  as?: "line" | "bars";
  band?: Band;
  height?: number;
  format?: (value: number) => string;
  from?: number;
  to?: number;
  /** Seconds between two moments; a line breaks where some were left out. */
  stepS?: number;
  /** The label in sight, also of a single series. */
  titled?: boolean;
  /** Moments worth a line, such as a change of code. */
  marks?: { at: number; title: string }[];
  /** The upper end of the axis, where it is known: 1 of a share. */
  top?: number;
  /** Values that get a line, such as `durationTicks`. */
  ticks?: (top: number) => number[];
  onPick?: (at: number) => void;
  /** A stretch was drawn with the mouse, or chosen by Shift and the arrow keys, then Enter. */
  onStretch?: (from: number, to: number) => void;
}

export function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    setWidth(box.clientWidth);
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

const STEPS_OF_KEYS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -10,
  PageDown: 10,
  Home: -Infinity,
  End: Infinity,
};
const CLICK_PX = 4;

export function TimeChart(props: Props) {
  const { label, series, as = "line", band, height = 180, format = shortText, stepS, marks = [], top, ticks } = props;
  const { onPick, onStretch, from, to } = props;
  const [box, width] = useWidth();
  const [cursor, setCursor] = useState<number>();
  // Both ends of a stretch that is being chosen.
  const [chosen, setChosen] = useState<[number, number]>();
  const clip = useId();
  const stacked = as === "bars";
  const shown = useMemo(() => painted(series), [series]);
  const moments = useMemo(() => momentsOf(series), [series]);
  const stepMs = (stepS ?? 0) * 1000;
  const frame = useMemo(() => {
    const [low, high] = heights(shown, moments, stacked, band);
    return frameOf({
      width,
      height,
      from: from ?? moments[0] ?? 0,
      to: to ?? (moments.at(-1) ?? 1) + (stacked ? stepMs : 0),
      heights: [low, top ?? high],
      format,
      ticks,
      whole: areWhole(shown),
    });
  }, [shown, moments, stacked, band, width, height, from, to, stepMs, top, format, ticks]);
  const { x } = frame;
  const first = moments[0] ?? 0;
  const barWidth = stacked
    ? Math.max(
        1,
        (stepMs ? x(first + stepMs) - x(first) : (frame.right - frame.left) / Math.max(1, moments.length)) - 1,
      )
    : undefined;
  const middle = (at: number) => x(at) + (barWidth ?? 0) / 2;
  const timeAt = (event: React.PointerEvent) =>
    x.invert(event.clientX - (box.current?.getBoundingClientRect().left ?? 0)).getTime();
  const momentAt = (event: React.PointerEvent) => nearest(moments, timeAt(event) - (stacked ? stepMs / 2 : 0));
  const choose = (one: number, other: number) => {
    setChosen(undefined);
    onStretch?.(Math.min(one, other), Math.max(one, other));
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const by = STEPS_OF_KEYS[event.key];
    if (by !== undefined) {
      const before = cursor === undefined ? -1 : moments.indexOf(cursor);
      const last = moments.length - 1;
      const index = before < 0 && event.key !== "Home" ? last : Math.min(last, Math.max(0, before + by));
      const next = moments[index];
      setCursor(next);
      if (next !== undefined && event.shiftKey && onStretch) setChosen([chosen?.[0] ?? cursor ?? next, next]);
      else setChosen(undefined);
    } else if (event.key === "Enter" && chosen && chosen[0] !== chosen[1]) {
      choose(Math.min(...chosen), Math.max(...chosen) + (stacked ? stepMs : 0));
    } else if (event.key === "Enter" && cursor !== undefined && onPick) {
      onPick(cursor);
    } else if (event.key === "Escape" && cursor !== undefined) {
      setCursor(undefined);
      setChosen(undefined);
    } else return;
    event.preventDefault();
  };
  const told = (at: number) =>
    shown
      .map((one) => [one.name, one.values.get(at)] as const)
      .flatMap(([name, value]) => (value == null ? [] : [`${name} ${format(value)}`]))
      .join(", ");
  const spoken = cursor ?? moments.at(-1);
  const isKeyed = series.length > 1 || band !== undefined;
  const isTitled = isKeyed || props.titled;
  return (
    <figure className={styles.chart} ref={box}>
      <figcaption className={styles.legend}>
        <span className={isTitled ? styles.label : "visually-hidden"}>{label}</span>
        {isKeyed &&
          shown.map((one) => (
            <span key={one.name} className={styles.key}>
              <i
                style={{ background: one.paint }}
                data-dashed={one.dash !== undefined || undefined}
                aria-hidden="true"
              />
              {one.name}
            </span>
          ))}
        {band && (
          <span className={styles.key}>
            <i className={styles.bandKey} aria-hidden="true" />
            {band.name}
          </span>
        )}
      </figcaption>
      {spoken === undefined && (
        <p className={styles.none} style={{ height }}>
          No figures in this time.
        </p>
      )}
      {width > 0 && spoken !== undefined && (
        <div
          role="slider"
          tabIndex={0}
          className={styles.plane}
          data-stretches={onStretch !== undefined || undefined}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={moments.length - 1}
          aria-valuenow={moments.indexOf(spoken)}
          aria-valuetext={`${minuteText(spoken)}: ${told(spoken) || "nothing"}`}
          onKeyDown={onKeyDown}
          onBlur={() => setCursor(undefined)}
          onPointerDown={(event) => {
            setCursor(momentAt(event));
            if (!onStretch || event.pointerType !== "mouse" || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setChosen([timeAt(event), timeAt(event)]);
          }}
          onPointerMove={(event) => {
            setCursor(momentAt(event));
            if (event.buttons & 1 && chosen) setChosen([chosen[0], timeAt(event)]);
          }}
          onPointerLeave={() => setCursor(undefined)}
          onPointerCancel={() => setChosen(undefined)}
          onPointerUp={(event) => {
            const at = momentAt(event);
            if (chosen && Math.abs(x(chosen[0]) - x(chosen[1])) > CLICK_PX) choose(...chosen);
            else {
              setChosen(undefined);
              if (at !== undefined && event.button === 0) onPick?.(at);
            }
          }}
        >
          <svg width={width} height={height} aria-hidden="true">
            <clipPath id={clip}>
              <rect x={frame.left} y={0} width={frame.right - frame.left + 1} height={height} />
            </clipPath>
            <Axes frame={frame} height={height} />
            <g clipPath={`url(#${clip})`}>
              <Drawing frame={frame} series={shown} moments={moments} band={band} stepS={stepS} barWidth={barWidth} />
              {marks.map((mark) => (
                <line
                  key={`${mark.at} ${mark.title}`}
                  x1={x(mark.at)}
                  x2={x(mark.at)}
                  y1={frame.top}
                  y2={frame.bottom}
                  className={styles.mark}
                >
                  <title>{mark.title}</title>
                </line>
              ))}
              {chosen && (
                <rect
                  x={Math.min(x(chosen[0]), x(chosen[1]))}
                  width={Math.abs(x(chosen[0]) - x(chosen[1]))}
                  y={frame.top}
                  height={frame.bottom - frame.top}
                  className={styles.chosen}
                />
              )}
              {cursor !== undefined && (
                <line
                  x1={middle(cursor)}
                  x2={middle(cursor)}
                  y1={frame.top}
                  y2={frame.bottom}
                  className={styles.cursor}
                />
              )}
            </g>
          </svg>
          {cursor !== undefined && (
            <Tip series={shown} at={cursor} format={format} x={middle(cursor)} width={width} stacked={stacked} />
          )}
        </div>
      )}
      {moments.length > 0 && <Figures label={label} series={shown} moments={moments} format={format} />}
    </figure>
  );
}
