// A long list is drawn a part at a time, a part each frame: what was drawn before stays, and the page answers meanwhile.
import { useEffect, useMemo, useRef, useState } from "react";

/** Those that are known, and so many more; in their order. */
export function grown<T>(
  items: readonly T[],
  known: ReadonlySet<string>,
  keyOf: (item: T) => string,
  atATime: number,
): T[] {
  let left = atATime;
  return items.filter((item) => known.has(keyOf(item)) || left-- > 0);
}

/** `keyOf` stays the same function. */
export function useGradually<T>(items: readonly T[], keyOf: (item: T) => string, atATime: number): [T[], boolean] {
  const known = useRef<ReadonlySet<string>>(new Set());
  const [turn, setTurn] = useState(0);
  const shown = useMemo(
    () => grown(items, known.current, keyOf, atATime),
    // A turn says that more are known.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [items, keyOf, atATime, turn],
  );
  const isWhole = shown.length === items.length;
  useEffect(() => {
    known.current = new Set(shown.map(keyOf));
    if (isWhole) return;
    const frame = requestAnimationFrame(() => setTurn((now) => now + 1));
    return () => cancelAnimationFrame(frame);
  }, [shown, isWhole, keyOf]);
  return [shown, isWhole];
}
