// Instants and durations as people read them: in the viewer's zone, with UTC at hand.
const NANOS = /^(.*T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970; the API's nine digits of a second are more than Date reads everywhere. */
export function millis(text: string): number {
  const found = NANOS.exec(text);
  if (!found) return Date.parse(text);
  const [, whole = "", fraction = "", zone = "Z"] = found;
  return Date.parse(`${whole}${fraction.slice(0, 4)}${zone}`);
}

const DAY = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const MINUTE = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const SECOND = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function dayText(at: number): string {
  return DAY.format(at);
}

export function minuteText(at: number): string {
  return MINUTE.format(at);
}

export function secondText(at: number): string {
  return SECOND.format(at);
}

export function utcText(at: number): string {
  return `${new Date(at)
    .toISOString()
    .replace("T", " ")
    .replace(/\.000Z$/, "")} UTC`.replace("Z UTC", " UTC");
}

const STEPS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Two units at most: `2 h 5 min`, `1.4 s`, `320 ms`. */
export function durationText(ms: number): string {
  if (ms < 0) return `−${durationText(-ms)}`;
  if (ms < 0.001) return `${Math.round(ms * 1_000_000)} ns`;
  if (ms < 1) return `${trim(ms * 1000, 3)} µs`;
  if (ms < 1000) return `${trim(ms, 3)} ms`;
  if (ms < 59_950) return `${trim(ms / 1000, ms < 9_995 ? 2 : 3)} s`;
  let rest = Math.round(ms / 1000);
  const words: string[] = [];
  for (const [size, unit] of STEPS) {
    const many = Math.floor(rest / size);
    if (many === 0 && words.length === 0) continue;
    rest -= many * size;
    if (many > 0) words.push(`${many} ${unit}`);
    if (words.length === 2 || unit === "s") break;
    if (words.length === 1 && many === 0) break;
  }
  return words.join(" ");
}

function trim(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** `3 min ago`, `in 2 h`; below five seconds `now`. */
export function agoText(at: number, now: number): string {
  const off = now - at;
  if (Math.abs(off) < 5_000) return "now";
  const rough = roughText(Math.abs(off));
  return off > 0 ? `${rough} ago` : `in ${rough}`;
}

function roughText(ms: number): string {
  for (const [size, unit] of STEPS) {
    const many = Math.floor(ms / 1000 / size);
    if (many > 0) return `${many} ${unit}`;
  }
  return "1 s";
}
