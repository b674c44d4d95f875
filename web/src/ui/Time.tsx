import { useSyncExternalStore } from "react";
import { agoText, durationText, millis, minuteText, secondText, utcText } from "../model/times";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 5_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present, moving every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

interface Props {
  at: string | null | undefined;
  /** `ago` for what is new, `minute` in tables, `second` in full. */
  as?: "ago" | "minute" | "second";
}

/** An instant in the viewer's zone; UTC when hovered. */
export function Time({ at, as = "minute" }: Props) {
  if (!at) return <span aria-label="no time">–</span>;
  const ms = millis(at);
  const title = `${secondText(ms)}\n${utcText(ms)}`;
  return (
    <time dateTime={at} title={title}>
      {as === "ago" ? <Ago ms={ms} /> : as === "second" ? secondText(ms) : minuteText(ms)}
    </time>
  );
}

function Ago({ ms }: { ms: number }) {
  return <>{agoText(ms, useNow())}</>;
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return ms == null ? <span aria-label="no duration">–</span> : <span>{durationText(ms)}</span>;
}
