// What a person keeps in this browser: recent things, stars, the theme. A browser that keeps nothing loses nothing else.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
const kept = new Map<string, unknown>();

export function readStored<T>(key: string, otherwise: T): T {
  const name = `lineage-hub.${key}`;
  if (!kept.has(name)) {
    let value: unknown = otherwise;
    try {
      const text = localStorage.getItem(name);
      if (text !== null) value = JSON.parse(text);
    } catch {
      value = otherwise;
    }
    kept.set(name, value);
  }
  return kept.get(name) as T;
}

export function writeStored(key: string, value: unknown): void {
  kept.set(`lineage-hub.${key}`, value);
  try {
    localStorage.setItem(`lineage-hub.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the value still holds until the tab is closed.
  }
  for (const listener of listeners) listener();
}

export function useStored<T>(key: string, otherwise: T): [T, (value: T) => void] {
  const value = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readStored(key, otherwise),
  );
  return [value, (next) => writeStored(key, next)];
}
