import { useSyncExternalStore } from "react";

const query = typeof window === "undefined" ? undefined : window.matchMedia("(max-width: 640px)");

function subscribe(listener: () => void): () => void {
  query?.addEventListener("change", listener);
  return () => query?.removeEventListener("change", listener);
}

/** Whether there is room for a few columns only. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query?.matches ?? false);
}
