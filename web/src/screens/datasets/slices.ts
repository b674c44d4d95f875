// One long list out of the lists of several namespaces, which the hub gives page by page.
export const PAGE = 100;

export interface Counted {
  namespace: string;
  /** Unknown until the hub has told it. */
  count: number | undefined;
}

export interface Slice {
  namespace: string;
  /** The place of its first row in the long list. */
  first: number;
  count: number;
}

export interface Page {
  namespace: string;
  offset: number;
}

/** As far as the counts are known without a gap: a row never moves because a count before it came later. */
export function slicesOf(counted: Counted[]): Slice[] {
  const slices: Slice[] = [];
  let first = 0;
  for (const { namespace, count } of counted) {
    if (count === undefined) break;
    if (count > 0) slices.push({ namespace, first, count });
    first += count;
  }
  return slices;
}

export function totalOf(slices: Slice[]): number {
  const last = slices.at(-1);
  return last ? last.first + last.count : 0;
}

/** The pages that hold the rows from `first` to `last`, both included. */
export function pagesOf(slices: Slice[], first: number, last: number): Page[] {
  const pages: Page[] = [];
  for (const slice of slices) {
    const from = Math.max(first, slice.first) - slice.first;
    const to = Math.min(last, slice.first + slice.count - 1) - slice.first;
    if (from > to) continue;
    for (let offset = from - (from % PAGE); offset <= to; offset += PAGE) {
      pages.push({ namespace: slice.namespace, offset });
    }
  }
  return pages;
}

/** The rows of pages at their places; places whose page isn't there stay empty. */
export function placed<Row>(slices: Slice[], pages: { page: Page; rows: Row[] }[]): Row[] {
  const places = new Map(slices.map((slice) => [slice.namespace, slice]));
  const found: Row[] = [];
  for (const { page, rows } of pages) {
    const slice = places.get(page.namespace);
    if (!slice) continue;
    rows.slice(0, slice.count - page.offset).forEach((row, index) => {
      found[slice.first + page.offset + index] = row;
    });
  }
  return found;
}
