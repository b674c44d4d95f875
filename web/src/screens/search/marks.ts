// Where words stand in a text becomes pieces of it, some of them marked.
export interface Piece {
  text: string;
  hit: boolean;
}

/** The API counts characters; a string of JavaScript counts an emoji as two. */
export function marked(value: string, ranges: readonly (readonly number[])[]): Piece[] {
  const characters = Array.from(value);
  const hits = new Array<boolean>(characters.length).fill(false);
  for (const [from = 0, end = 0] of ranges) hits.fill(true, Math.max(0, from), Math.max(0, end));
  const pieces: Piece[] = [];
  characters.forEach((character, at) => {
    const hit = hits[at] ?? false;
    const last = pieces.at(-1);
    if (last && last.hit === hit) last.text += character;
    else pieces.push({ text: character, hit });
  });
  return pieces;
}

export interface Match {
  field: string;
  value: string;
  highlight: number[][];
  column?: string;
}

const WORDS: Record<string, string> = {
  alias: "also named",
  column: "column",
  columnDescription: "about column",
  description: "described as",
  tag: "tag",
  owner: "owner",
};

export interface Found {
  name: Piece[];
  namespace: Piece[];
  /** What else matched, each with what it is. */
  others: { what: string; pieces: Piece[] }[];
}

export function foundIn(name: string, namespace: string, matches: readonly Match[]): Found {
  const shown = (field: string, value: string) =>
    marked(value, matches.find((one) => one.field === field && one.value === value)?.highlight ?? []);
  return {
    name: shown("name", name),
    namespace: shown("namespace", namespace),
    others: matches
      .filter((one) => one.field in WORDS)
      .map((one) => ({
        what: `${WORDS[one.field]}${one.column && one.field !== "column" ? ` ${one.column}` : ""}`,
        pieces: marked(one.value, one.highlight),
      })),
  };
}
