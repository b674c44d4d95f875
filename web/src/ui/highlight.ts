import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import yaml from "highlight.js/lib/languages/yaml";

for (const [name, language] of Object.entries({ bash, diff, json, python, sql, yaml })) {
  hljs.registerLanguage(name, language);
}

// Colouring a megabyte of text blocks the page for longer than colour is worth.
const MOST = 200_000;

/** Escaped text with spans of classes `hljs-…`. */
export function highlight(text: string, language: string): string | undefined {
  return text.length > MOST ? undefined : hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
