// A text enters; where it stops being JSON leaves, and why. Browsers tell that in words of their own, and some not where.
export interface Fault {
  line: number;
  column: number;
  message: string;
}

type Place = "value" | "value or ]" | "key" | "key or }" | "colon" | "after";

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// eslint-disable-next-line no-control-regex
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
// eslint-disable-next-line no-control-regex
const STRING_SO_FAR = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const WORD = /[\w.+-]/;

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Undefined if it is JSON. */
export function jsonFault(text: string): Fault | undefined {
  const open: ("{" | "[")[] = [];
  let place = "value" as Place;
  let at = 0;
  for (;;) {
    at = matchAt(SPACE, text, at);
    const sign = text[at];
    if (place === "after" && open.length === 0)
      return sign === undefined ? undefined : fault(text, at, `${named(sign)} after the end`);
    if (sign === undefined) return fault(text, at, `it ends too early: ${missing(place, open.at(-1))} is missing`);
    if (place === "after") {
      const inside = open.at(-1);
      if (sign === ",") place = inside === "{" ? "key" : "value";
      else if (sign === (inside === "{" ? "}" : "]")) open.pop();
      else return fault(text, at, `a comma or ${inside === "{" ? "}" : "]"} is missing before ${named(sign)}`);
      at += 1;
    } else if (place === "colon") {
      if (sign !== ":") return fault(text, at, `a colon is missing before ${named(sign)}`);
      place = "value";
      at += 1;
    } else if ((place === "key or }" && sign === "}") || (place === "value or ]" && sign === "]")) {
      open.pop();
      place = "after";
      at += 1;
    } else if (sign === '"') {
      const end = matchAt(STRING, text, at);
      if (end < 0) return stringFault(text, at);
      place = place === "key" || place === "key or }" ? "colon" : "after";
      at = end;
    } else if (place === "key" || place === "key or }") {
      return fault(
        text,
        at,
        sign === "}" ? "a comma too many before }" : `a name in double quotes is missing before ${named(sign)}`,
      );
    } else if (sign === "{" || sign === "[") {
      open.push(sign);
      place = sign === "{" ? "key or }" : "value or ]";
      at += 1;
    } else {
      const end = matchAt(SCALAR, text, at);
      // `01` and `truely` begin like values.
      if (end < 0 || WORD.test(text[end] ?? ""))
        return fault(text, at, sign === "]" ? "a comma too many before ]" : `${named(sign)} begins no value`);
      place = "after";
      at = end;
    }
  }
}

function stringFault(text: string, at: number): Fault {
  const end = matchAt(STRING_SO_FAR, text, at);
  const sign = text[end];
  if (sign === undefined) return fault(text, at, "this text has no closing quote");
  if (sign === "\\") return fault(text, end, `\\${text[end + 1] ?? ""} means nothing in a text`);
  return sign === "\n" || sign === "\r"
    ? fault(text, at, "this text has no closing quote on its line")
    : fault(text, end, "a control character in a text must be escaped");
}

function missing(place: Place, inside: "{" | "[" | undefined): string {
  if (place === "colon") return "a colon";
  if (place === "after") return inside === "{" ? "}" : "]";
  return place.startsWith("key") ? "a name" : "a value";
}

function named(sign: string): string {
  return sign === "'" ? "a single quote (JSON has double ones)" : sign;
}

function fault(text: string, at: number, message: string): Fault {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - before.lastIndexOf("\n"), message };
}
