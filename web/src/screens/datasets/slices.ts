// A long list that the hub gives page by page: which pages hold what is in sight, and where their rows stand.
export const PAGE = 100;

/** Where the pages begin that hold the rows from `first` to `last`, both included. */
export function pagesOf(total: number, first: number, last: number): number[] {
  const pages: number[] = [];
  const from = Math.max(first, 0);
  for (let offset = from - (from % PAGE); offset <= Math.min(last, total - 1); offset += PAGE) pages.push(offset);
  return pages;
}

/** The rows of pages at their places; places whose page isn't there stay empty. */
export function placed<Row>(total: number, pages: { offset: number; rows: Row[] }[]): Row[] {
  const found: Row[] = [];
  for (const { offset, rows } of pages) {
    rows.slice(0, total - offset).forEach((row, index) => {
      found[offset + index] = row;
    });
  }
  return found;
}
