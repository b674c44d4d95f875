/** Where the hub stands, with a slash at the end: `/`, or `/some/prefix/`. */
export const BASE = typeof document === "undefined" ? "/" : new URL(".", document.baseURI).pathname;
