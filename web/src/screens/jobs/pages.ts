// A long list that is fetched page by page, as far as it is looked at.
import { useCallback, useState } from "react";

export const PAGE = 100;

/** The pages that rows from `first` to `last` stand on. */
export function pagesFor(first: number, last: number): number[] {
  const from = Math.floor(first / PAGE);
  return Array.from({ length: Math.floor(last / PAGE) - from + 1 }, (_, at) => from + at);
}

/** All known pages and those that are wanted; the same list if none is new. */
export function withPages(known: readonly number[], wanted: readonly number[]): readonly number[] {
  const fresh = wanted.filter((page) => !known.includes(page));
  return fresh.length === 0 ? known : [...known, ...fresh];
}

/** Rows at their places; those of pages that are not there yet are missing. */
export function joined<Row>(pages: readonly { page: number; rows: readonly Row[] | undefined }[]): Row[] {
  const rows: Row[] = [];
  for (const { page, rows: found } of pages) {
    found?.forEach((row, at) => {
      rows[page * PAGE + at] = row;
    });
  }
  return rows;
}

const FIRST: readonly number[] = [0];

/** Which pages to ask for, and what a table tells when it needs more. Another `key` is another list. */
export function useNeededPages(key: string): [readonly number[], (first: number, last: number) => void] {
  const [needed, setNeeded] = useState({ key, pages: FIRST });
  const pages = needed.key === key ? needed.pages : FIRST;
  const need = useCallback(
    (first: number, last: number) =>
      setNeeded((before) => {
        const known = before.key === key ? before.pages : FIRST;
        const next = withPages(known, pagesFor(first, last));
        return next === known && before.key === key ? before : { key, pages: next };
      }),
    [key],
  );
  return [pages, need];
}
