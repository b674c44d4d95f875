import { describe, expect, it } from "vitest";
import { jsonFault } from "./jsonFault";

describe("jsonFault", () => {
  it.each([
    ["", 1, 1, "a value is missing"],
    ['{"a": 1', 1, 8, "} is missing"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a comma or } is missing before "'],
    ['{"a": 1,}', 1, 9, "a comma too many"],
    ["[1, 2,]", 1, 7, "a comma too many"],
    ["{a: 1}", 1, 2, "a name in double quotes is missing before a"],
    ['{"a" 1}', 1, 6, "a colon is missing"],
    ["{'a': 1}", 1, 2, "single quote"],
    ['{"a": tru}', 1, 7, "begins no value"],
    ['{"a": 01}', 1, 7, "begins no value"],
    ['{"a": "b\n}', 1, 7, "no closing quote"],
    ['{"a": "\\x"}', 1, 8, "means nothing"],
    ["{} {}", 1, 4, "after the end"],
    ['{"a":\r\n "b"\r\n,,}', 3, 2, "a name in double quotes is missing before ,"],
  ])("%j: line %d, column %d, %s", (text, line, column, message) => {
    const fault = jsonFault(text);
    expect(fault).toMatchObject({ line, column });
    expect(fault?.message).toContain(message);
  });

  it("goes as deep as the text", () => {
    expect(jsonFault("[".repeat(200_000) + "]".repeat(200_000))).toBeUndefined();
  });

  it("says the same as the browser's own parser of texts with one mistake", () => {
    const whole = '{"a": [1, -0.5e+3, true, null, {"b": "x\\u00e9\\n"}], "c": {}, "d": []}';
    const signs = [...'{}[]",:\\ 0-1.eatn\n\u0001'];
    let wrong = 0;
    for (let at = 0; at <= whole.length; at++) {
      for (const changed of [
        whole.slice(0, at) + whole.slice(at + 1),
        whole.slice(0, at),
        ...signs.map((sign) => whole.slice(0, at) + sign + whole.slice(at)),
      ]) {
        let isJson = true;
        try {
          JSON.parse(changed);
        } catch {
          isJson = false;
          wrong += 1;
        }
        expect(jsonFault(changed) === undefined, changed).toBe(isJson);
      }
    }
    expect(wrong).toBeGreaterThan(500);
  });
});
