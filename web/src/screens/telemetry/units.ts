// Rates, and values in the units that OpenTelemetry names (UCUM), as people read them.
import { bytesText, shortText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { durationTicks } from "../../ui/moments";

/** `12.3/s`, `4.5/min`, `2/h`, `1/day`: the unit in which the number can be imagined. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return "0/s";
  if (perSecond >= 1) return `${shortText(rounded(perSecond))}/s`;
  if (perSecond * 60 >= 1) return `${shortText(rounded(perSecond * 60))}/min`;
  if (perSecond * 3600 >= 1) return `${shortText(rounded(perSecond * 3600))}/h`;
  return `${shortText(rounded(perSecond * 86_400))}/day`;
}

function rounded(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

export interface Format {
  format: (value: number) => string;
  ticks?: (top: number) => number[];
}

const MILLISECONDS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const BYTES: Record<string, number> = {
  By: 1,
  kBy: 1e3,
  MBy: 1e6,
  GBy: 1e9,
  KiBy: 1024,
  MiBy: 1024 ** 2,
  GiBy: 1024 ** 3,
};

/** How values of a unit are written; `aSecond` for how much they grow. */
export function formatOf(unit: string, aSecond = false): Format {
  const per = aSecond ? "/s" : "";
  const bytes = BYTES[unit];
  if (bytes !== undefined) return { format: (value) => `${bytesText(value * bytes)}${per}` };
  const ms = MILLISECONDS[unit];
  if (ms !== undefined && !aSecond) {
    return {
      format: (value) => (value === 0 ? "0" : durationText(value * ms)),
      ticks: (top) => durationTicks(top * ms).map((tick) => tick / ms),
    };
  }
  if (unit === "%") return { format: (value) => `${shortText(value)} %${per}` };
  // Words in braces are notes, and 1 is no unit.
  const word = unit === "1" ? "" : unit.replace(/\{[^}]*\}/g, "");
  return { format: (value) => `${shortText(value)}${word && ` ${word}`}${per}` };
}

/** Nanoseconds, as most durations of telemetry are told. */
export const NANOSECONDS = formatOf("ns");
