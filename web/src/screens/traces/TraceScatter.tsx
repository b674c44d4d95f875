import { useMemo, useState } from "react";
import { durationText, millis, minuteText } from "../../model/times";
import { useWidth } from "../../ui/TimeChart";
import { type Dot, dotAt, scatterOf, type Trace } from "./scatter";
import styles from "./traces.module.css";

interface Props {
  traces: Trace[];
  from: number;
  to: number;
  picked: string[];
  onOpen: (id: string) => void;
  /** A part was drawn with the mouse: from then to then, and what lasted at least so long. */
  onNarrow: (from: number, to: number, leastMs: number) => void;
}

interface Place {
  x: number;
  y: number;
}

const HEIGHT = 200;
const CLICK_PX = 4;

/** How long traces took, over time. The table under it has the same for keys and ears. */
export function TraceScatter({ traces, from, to, picked, onOpen, onNarrow }: Props) {
  const [box, width] = useWidth();
  const [hovered, setHovered] = useState<Dot>();
  const [drawn, setDrawn] = useState<[Place, Place]>();
  const scatter = useMemo(() => scatterOf(traces, width, HEIGHT, from, to), [traces, width, from, to]);
  const placeAt = (event: React.PointerEvent): Place => {
    const frame = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const rect = drawn && {
    x: Math.min(drawn[0].x, drawn[1].x),
    y: Math.min(drawn[0].y, drawn[1].y),
    width: Math.abs(drawn[0].x - drawn[1].x),
    height: Math.abs(drawn[0].y - drawn[1].y),
  };
  const settle = (event: React.PointerEvent) => {
    setDrawn(undefined);
    if (rect && rect.width > CLICK_PX) {
      const low = scatter.placeOf(rect.x, rect.y + rect.height);
      // Drawn down to the axis, it is about time alone.
      const isToAxis = rect.y + rect.height >= scatter.bottom - 2 || rect.height <= CLICK_PX;
      onNarrow(low.at, scatter.placeOf(rect.x + rect.width, 0).at, isToAxis ? 0 : low.ms);
      return;
    }
    const { x, y } = placeAt(event);
    const dot = dotAt(scatter.dots, x, y);
    if (dot && event.button === 0) onOpen(dot.trace.traceId);
  };
  return (
    <div ref={box} className={styles.scatter}>
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label="Duration of traces over time; the table below lists them"
          data-near={hovered !== undefined || undefined}
          onPointerDown={(event) => {
            if (event.pointerType !== "mouse" || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrawn([placeAt(event), placeAt(event)]);
          }}
          onPointerMove={(event) => {
            const place = placeAt(event);
            setHovered(dotAt(scatter.dots, place.x, place.y));
            if (event.buttons & 1 && drawn) setDrawn([drawn[0], place]);
          }}
          onPointerLeave={() => setHovered(undefined)}
          onPointerCancel={() => setDrawn(undefined)}
          onPointerUp={settle}
        >
          {scatter.yTicks.map((tick) => (
            <g key={tick.y} transform={`translate(0 ${tick.y})`} className={styles.tick}>
              <line x1={scatter.left} x2={scatter.right} />
              <text x={scatter.left - 6} dy="0.32em" textAnchor="end">
                {tick.text}
              </text>
            </g>
          ))}
          {scatter.xTicks.map((tick) => (
            <text key={tick.x} x={tick.x} y={HEIGHT - 5} textAnchor="middle" className={styles.moment}>
              {tick.text}
            </text>
          ))}
          {scatter.dots.map((dot) => (
            <Mark key={dot.trace.traceId} dot={dot} isPicked={picked.includes(dot.trace.traceId)} />
          ))}
          {hovered && <circle cx={hovered.x} cy={hovered.y} r={7} className={styles.ring} />}
          {rect && rect.width > CLICK_PX && <rect {...rect} className={styles.drawn} />}
        </svg>
      )}
      {hovered && <Tip dot={hovered} width={width} />}
      <p className={styles.legend}>
        <span className={styles.dotKey} aria-hidden="true" /> without errors{" "}
        <span className={styles.crossKey} aria-hidden="true">
          ✕
        </span>{" "}
        with errors
        <span className={styles.hint}> · click opens a trace, a rectangle drawn with the mouse narrows the search</span>
      </p>
    </div>
  );
}

/** A dot, or a cross where something failed: colour never tells alone. */
function Mark({ dot: { trace, x, y }, isPicked }: { dot: Dot; isPicked: boolean }) {
  return (
    <>
      {isPicked && <circle cx={x} cy={y} r={7} className={styles.ring} />}
      {trace.errorCount > 0 ? (
        <path d={`M${x - 3} ${y - 3}l6 6m0 -6l-6 6`} className={styles.cross} />
      ) : (
        <circle cx={x} cy={y} r={3} className={styles.dot} />
      )}
    </>
  );
}

function Tip({ dot: { trace, x, y }, width }: { dot: Dot; width: number }) {
  const place = x < width / 2 ? { left: x + 12 } : { right: width - x + 12 };
  return (
    <div className={styles.tip} style={{ ...place, top: Math.max(0, y - 24) }}>
      <b>{trace.name}</b>
      <div>
        {durationText(trace.durationNs / 1e6)} · {minuteText(millis(trace.startedAt))}
      </div>
      <div>
        {trace.service} · {trace.spanCount} spans{trace.errorCount > 0 && `, ${trace.errorCount} with errors`}
      </div>
    </div>
  );
}
