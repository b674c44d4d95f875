// What a screen was asked for, as its address has it.
import { useCallback } from "react";
import { useSearchParams } from "wouter";

export type Changes = Record<string, string | string[] | null | undefined>;

/** Nothing and empty text leave the address; a list stands there once for each of its values. */
export function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) next.append(name, one);
  }
  return next;
}

/** An address of the page in the same stretch of time. */
export function inSameTime(path: string, params: URLSearchParams, more: Changes = {}): string {
  const time = new URLSearchParams();
  for (const name of ["range", "from", "to"]) {
    const value = params.get(name);
    if (value) time.set(name, value);
  }
  const text = changed(time, more).toString();
  return text ? `${path}?${text}` : path;
}

export function useAsked(): [URLSearchParams, (changes: Changes) => void] {
  const [params, setParams] = useSearchParams();
  const ask = useCallback(
    (changes: Changes) => setParams((before) => changed(before, changes), { replace: true }),
    [setParams],
  );
  return [params, ask];
}
