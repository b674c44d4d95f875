// Counts, sizes and shares as people read them.
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function countText(value: number): string {
  return WHOLE.format(value);
}

/** `1.2M`, for where room is short; the whole number belongs beside it in a title. */
export function shortText(value: number): string {
  return Math.abs(value) < 10_000
    ? Number.isInteger(value)
      ? WHOLE.format(value)
      : String(Number(value.toPrecision(3)))
    : SHORT.format(value);
}

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

export function bytesText(value: number): string {
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const text = unit === 0 ? String(Math.round(size)) : String(Number(size.toPrecision(3)));
  return `${value < 0 ? "−" : ""}${text} ${UNITS[unit]}`;
}

/** A share of one; what isn't all is never shown as 100 %, what isn't nothing never as 0 %. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${Number(percent.toFixed(1))} %`;
}

export function manyText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
