// The hub's live messages, as long as a screen wants them. The browser comes back by itself with the last id.
import { useEffect, useRef, useState } from "react";
import { BASE } from "./base";

export type Topic = "runs" | "events" | "changes";
export type StreamState = "connecting" | "live" | "lost";

export interface StreamFilter {
  namespace?: string;
  job?: string;
  dataset?: string;
}

/** Calls `onMessage` for each message; the state says whether the page hears anything. */
export function useStream(
  topics: Topic[],
  onMessage: (topic: Topic, message: Record<string, unknown>) => void,
  { filter, enabled = true }: { filter?: StreamFilter; enabled?: boolean } = {},
): StreamState {
  const [state, setState] = useState<StreamState>("connecting");
  const latest = useRef(onMessage);
  useEffect(() => {
    latest.current = onMessage;
  });
  const wanted = new URLSearchParams({ topics: topics.join(","), ...filter }).toString();
  useEffect(() => {
    if (!enabled) return;
    const source = new EventSource(`${BASE}api/v1/stream?${wanted}`);
    source.onopen = () => setState("live");
    source.onerror = () => setState("lost");
    for (const topic of ["runs", "events", "changes"] as const) {
      source.addEventListener(topic, (event) =>
        latest.current(topic, JSON.parse((event as MessageEvent<string>).data) as Record<string, unknown>),
      );
    }
    return () => source.close();
  }, [wanted, enabled]);
  return state;
}
