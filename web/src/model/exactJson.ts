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

/** A member of the outermost object, as it is written; of several of one name the last, as readers of JSON have it. */
export function memberText(text: string, name: string): string | undefined {
  return membersOf(text).findLast(([key]) => key === name)?.[1];
}

/** The members of the outermost object, each with its name and its value as it is written. */
export function membersOf(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let key: string | undefined;
  let from = -1;
  for (const found of text.matchAll(TOKEN)) {
    const [token] = found;
    if (token === "}" || token === "]") depth -= 1;
    const isEnd = depth === 0 || (depth === 1 && token === ",");
    if (isEnd && key !== undefined && from >= 0) {
      members.push([key, text.slice(from, found.index).trim()]);
      key = undefined;
      from = -1;
    }
    if (depth === 1 && from < 0) {
      if (token === ":") from = found.index + 1;
      else if (token.startsWith('"')) key = JSON.parse(token) as string;
    }
    if (token === "{" || token === "[") depth += 1;
  }
  return members;
}

const LARGE = /\d{16}/;
const WHOLE = /^-?\d{16,}$/;

/**
 * The same JSON, with whole numbers that JavaScript can't hold as texts. The hub's own nanoseconds stay numbers: the
 * page reckons with them.
 */
export function withLargeNumbersAsText(text: string): string {
  if (!LARGE.test(text)) return text;
  let [key, before] = ["", ""];
  return text.replace(TOKEN, (token) => {
    if (token === ":") key = before;
    before = token;
    return WHOLE.test(token) && !Number.isSafeInteger(Number(token)) && !key.endsWith('Ns"') ? `"${token}"` : token;
  });
}
