// A width, a height and a stretch of time enter; scales and ticks leave, as a chart over time draws them.
import { type ScaleLinear, scaleLinear, type ScaleTime, scaleTime } from "d3-scale";
import { spaced, tickText } from "./moments";

const BOTTOM = 20;
const TOP = 8;
const RIGHT = 8;
const LETTER = 6.4;
// So that charts under each other mostly have one axis.
const LEAST_LEFT = 44;
const MOMENT_ROOM = 58;

export interface Frame {
  x: ScaleTime<number, number>;
  y: ScaleLinear<number, number>;
  left: number;
  right: number;
  top: number;
  bottom: number;
  xTicks: { x: number; text: string }[];
  yTicks: { y: number; text: string }[];
}

interface Asked {
  width: number;
  height: number;
  from: number;
  to: number;
  heights: [number, number];
  /** How a value is written. */
  format: (value: number) => string;
  /** Values that get a line; without it round decimal ones. */
  ticks?: (top: number) => number[];
  /** Only whole numbers are marked. */
  whole?: boolean;
}

export function frameOf({ width, height, from, to, heights, format, ticks, whole }: Asked): Frame {
  const [low, high] = heights;
  const bottom = height - BOTTOM;
  const y = scaleLinear()
    .domain([low, high > low ? high : low + 1])
    .range([bottom, TOP]);
  let values: number[];
  if (ticks && low >= 0) {
    values = ticks(high);
    y.domain([0, values.at(-1) ?? 1]);
  } else {
    y.nice(4);
    values = y.ticks(4).filter((value) => !whole || Number.isInteger(value));
  }
  const yTicks = values.map((value) => ({ y: y(value), text: format(value) }));
  const left = Math.min(84, Math.max(LEAST_LEFT, 10 + LETTER * Math.max(...yTicks.map((tick) => tick.text.length))));
  const right = Math.max(left + 1, width - RIGHT);
  const x = scaleTime().domain([from, to]).range([left, right]);
  const all = x
    .ticks(Math.max(2, Math.floor((right - left) / 96)))
    .map((tick) => ({ x: x(tick), text: tickText(+tick, to - from) }));
  // A label in the middle of its tick needs half of its width on either side.
  const complete = all.filter((tick) => {
    const half = (tick.text.length * LETTER) / 2;
    return tick.x - half >= 0 && tick.x + half <= width;
  });
  return { x, y, left, right, top: TOP, bottom, xTicks: spaced(complete, MOMENT_ROOM), yTicks };
}
