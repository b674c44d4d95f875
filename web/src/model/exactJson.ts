// JSON as text becomes lines of it, or one of its members, without being read: numbers and names stay as they were written.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The text must be JSON. Members and items stand on lines of their own. */
export function layOut(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let isFresh = false;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "}" || token === "]") {
      depth -= 1;
      // What is empty stays on its line.
      parts.push(isFresh ? token : line() + token);
      isFresh = false;
      continue;
    }
    if (isFresh) parts.push(line());
    isFresh = token === "{" || token === "[";
    if (isFresh) depth += 1;
    parts.push(token === "," ? `,${line()}` : token === ":" ? ": " : token);
  }
  return parts.join("");
}

/** A member of the outermost object, as it is written. */
export function memberText(text: string, name: string): string | undefined {
  const wanted = JSON.stringify(name);
  let depth = 0;
  let from = -1;
  let isKey = false;
  let isWanted = false;
  for (const found of text.matchAll(TOKEN)) {
    const [token] = found;
    if (token === "}" || token === "]") depth -= 1;
    const ends = (token === "," && depth === 1) || depth === 0;
    if (from >= 0 && ends) return text.slice(from, found.index).trim();
    if (depth === 1 && isKey && token === wanted) isWanted = true;
    else if (depth === 1 && token === ":" && isWanted) from = found.index + 1;
    isKey = (token === "{" && depth === 0) || (token === "," && depth === 1);
    if (token === "{" || token === "[") depth += 1;
  }
  return undefined;
}
