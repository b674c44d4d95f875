// Values that are made anew with each drawing, as the same value while they say the same.
import { useMemo, useRef } from "react";

/** Of plain data. */
export function useSame<T>(value: T): T {
  const text = JSON.stringify(value);
  return useMemo(() => JSON.parse(text) as T, [text]);
}

/** The same list while its items are the same ones. */
export function useSameItems<T>(items: T[]): T[] {
  const kept = useRef(items);
  const isSame = kept.current.length === items.length && items.every((item, at) => item === kept.current[at]);
  if (!isSame) kept.current = items;
  return kept.current;
}
