// What a screen shows, as parameters of the page's address. Read and written in the address itself: a router that
// unescapes it once too often loses values and names with per cent signs in them.
import { useMemo } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";

export type Changes = Record<string, string | null>;

/** The query part of an address with some parameters changed; null and the empty text take one away. */
export function withParams(search: string, changes: Changes): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  return text && `?${text}`;
}

export function setParams(changes: Changes, { push = false }: { push?: boolean } = {}): void {
  const { pathname, search } = window.location;
  navigate(`${pathname}${withParams(search, changes)}`, { replace: !push });
}

/** The parameters, and how to change some of them; `push` makes a step that the browser's Back goes back over. */
export function useParams(): [URLSearchParams, typeof setParams] {
  useSearch();
  const search = window.location.search;
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, setParams];
}

/** One of them; a value that it has anyhow stands in no address. */
export function useParam(name: string, otherwise = ""): [string, (value: string) => void] {
  useSearch();
  const found = new URLSearchParams(window.location.search).get(name);
  return [found ?? otherwise, (value) => setParams({ [name]: value === otherwise ? "" : value })];
}
