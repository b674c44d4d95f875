import { describe, expect, it } from "vitest";
import { layOut, memberText } from "./exactJson";

describe("layOut", () => {
  it("gives the lines that JSON.stringify would", () => {
    const value = { a: [1, { b: 'x, [y]: {"z"} \\' }, [], {}], c: null, "d e": { f: true } };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 7)])
      expect(layOut(text)).toBe(JSON.stringify(value, null, 2));
  });

  it.each(["12345678901234567890", "1.0", "1e400", "-0", "1E5"])("%s stays as it was written", (number) => {
    expect(layOut(`{"rows":${number}}`)).toBe(`{\n  "rows": ${number}\n}`);
  });

  it.each(["7", '"a"', "[]", "{ }", "null"])("%s is one line", (text) =>
    expect(layOut(text)).toBe(text.replace(" ", "")),
  );
});

describe("memberText", () => {
  const text =
    '{"id": "event", "other": {"event": 1, "deep": ["event"]}, "event": {"rows": 1.0, "n": [1, 2]}, "last": 12345678901234567890}';
  it("finds a member of the outermost object", () => {
    expect(memberText(text, "event")).toBe('{"rows": 1.0, "n": [1, 2]}');
    expect(memberText(text, "id")).toBe('"event"');
    expect(memberText(text, "last")).toBe("12345678901234567890");
  });
  it("finds none that is deeper, or that isn't there", () => {
    expect(memberText(text, "deep")).toBeUndefined();
    expect(memberText(text, "rows")).toBeUndefined();
  });
});
