import { area, line } from "d3-shape";
import { memo } from "react";
import type { Frame } from "./chartFrame";
import { type Band, broken, lonely, type Painted, type Point } from "./moments";
import styles from "./TimeChart.module.css";

export function Axes({ frame, height }: { frame: Frame; height: number }) {
  return (
    <>
      {frame.yTicks.map((tick) => (
        <g key={tick.y} transform={`translate(0 ${tick.y})`} className={styles.tick}>
          <line x1={frame.left} x2={frame.right} />
          <text x={frame.left - 6} dy="0.32em" textAnchor="end">
            {tick.text}
          </text>
        </g>
      ))}
      {frame.xTicks.map((tick) => (
        <text key={tick.x} x={tick.x} y={height - 5} className={styles.moment} textAnchor="middle">
          {tick.text}
        </text>
      ))}
    </>
  );
}

interface Props {
  frame: Frame;
  series: Painted[];
  moments: number[];
  band?: Band;
  stepS?: number;
  barWidth?: number;
}

const DOTS_BELOW = 40;

/** Drawn anew when figures or the width change, not when the cursor moves. */
export const Drawing = memo(function Drawing({ frame, series, moments, band, stepS, barWidth }: Props) {
  const { x, y } = frame;
  const drawLine = line<Point>()
    .defined((point) => point.value !== null)
    .x((point) => x(point.at))
    .y((point) => y(point.value ?? 0));
  const drawBand = area<Band["points"][number]>()
    .x((point) => x(point.at))
    .y0((point) => y(point.low))
    .y1((point) => y(point.high));
  return (
    <>
      {band && <path d={drawBand(band.points) ?? ""} className={styles.band} />}
      {barWidth === undefined
        ? series.map((one) => {
            const points = broken(one.points, stepS);
            const dots = points.length < DOTS_BELOW ? points : lonely(points);
            return (
              <g key={one.name} style={{ stroke: one.paint, fill: one.paint }}>
                {points.length > one.points.length && (
                  <path d={drawLine(one.points) ?? ""} fill="none" className={styles.overGap} />
                )}
                <path d={drawLine(points) ?? ""} fill="none" strokeWidth={1.5} strokeDasharray={one.dash} />
                {dots.map(
                  (point) =>
                    point.value !== null && <circle key={point.at} cx={x(point.at)} cy={y(point.value)} r={1.5} />,
                )}
              </g>
            );
          })
        : moments.map((at) => <Stack key={at} at={at} series={series} x={x(at)} width={barWidth} y={y} />)}
    </>
  );
});

interface StackProps {
  at: number;
  series: Painted[];
  x: number;
  width: number;
  y: (value: number) => number;
}

function Stack({ at, series, x, width, y }: StackProps) {
  let below = 0;
  return (
    <>
      {series.map((one) => {
        const value = one.values.get(at) ?? 0;
        if (!value) return null;
        const top = y(below + value);
        const bar = (
          <rect
            key={one.name}
            className={styles.bar}
            x={x}
            width={width}
            y={top}
            height={Math.max(1, y(below) - top)}
            fill={one.paint}
          />
        );
        below += value;
        return bar;
      })}
    </>
  );
}
