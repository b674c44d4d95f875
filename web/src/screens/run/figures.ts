// Figures of an explanation as people read them, by their unit.
import type { Schemas } from "../../api/client";
import { bytesText, shortText } from "../../model/numbers";
import { durationText } from "../../model/times";

type Figure = Schemas["Figure"];

export function amountText(value: Figure["usual"], unit: string): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (unit === "s") return durationText(value * 1000);
  if (unit === "By") return bytesText(value);
  return unit ? `${shortText(value)} ${unit}` : shortText(value);
}

/** How much of the larger one each is, for two bars that can be compared; nothing for what isn't a number. */
export function shares({ usual, now }: Figure): { usual: number; now: number } | undefined {
  if (typeof usual !== "number" || typeof now !== "number") return undefined;
  const most = Math.max(Math.abs(usual), Math.abs(now));
  return most === 0 ? undefined : { usual: (Math.abs(usual) / most) * 100, now: (Math.abs(now) / most) * 100 };
}

/** `3.2× as much`, `half as much`: only where it says something. */
export function ratioText(now: number, usual: number): string | undefined {
  if (usual <= 0 || now < 0) return undefined;
  const ratio = now / usual;
  if (ratio >= 0.95 && ratio <= 1.05) return "as usual";
  return ratio > 1 ? `${Number(ratio.toPrecision(2))}× the usual` : `${Math.round(ratio * 100)} % of the usual`;
}
