// What a screen shows, as parameters of the page's address. Read and written in the address itself: a router that
// unescapes it once too often loses values and names with per cent signs in them.
import { useMemo } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";

export type Changes = Record<string, string | string[] | null | undefined>;

/** Nothing and the empty text take a parameter away; a list stands there once for each of its values. */
export function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) next.append(name, one);
  }
  return next;
}

/** The query part of an address with some parameters changed. */
export function withParams(search: string, changes: Changes): string {
  const text = changed(new URLSearchParams(search), changes).toString();
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
