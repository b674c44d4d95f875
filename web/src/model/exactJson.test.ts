import { describe, expect, it } from "vitest";
import { layOut, memberText, membersOf, withLargeNumbersAsText } from "./exactJson";

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

describe("membersOf", () => {
  it("gives names and values as they are written, in their order", () => {
    const text = '{"a": {"b": 9007199254740993, "c": [{}, {"d": ":"}]}, "e\\"\\u0066": -0, "g": "x, y", "h": []}';
    expect(membersOf(text)).toEqual([
      ["a", '{"b": 9007199254740993, "c": [{}, {"d": ":"}]}'],
      ['e"f', "-0"],
      ["g", '"x, y"'],
      ["h", "[]"],
    ]);
  });
  it.each(["{}", "{ }", "[]", "[1, {}]", "7", '"a"', ""])("there are none in %o", (text) =>
    expect(membersOf(text)).toEqual([]),
  );
  it("of several members of one name the last counts", () => expect(memberText('{"a": 1, "a": 2}', "a")).toBe("2"));
});

describe("withLargeNumbersAsText", () => {
  it("makes texts of whole numbers that JavaScript can't hold, and of nothing else", () => {
    const text =
      '{"a": 9007199254740993, "b": [-12345678901234567890, 9007199254740991], "c": "x 9007199254740993, 12345678901234567890", "d": 1.2345678901234567e3}';
    expect(JSON.parse(withLargeNumbersAsText(text))).toEqual({
      a: "9007199254740993",
      b: ["-12345678901234567890", 9007199254740991],
      c: "x 9007199254740993, 12345678901234567890",
      d: 1234.5678901234567,
    });
  });

  it("leaves nanoseconds of the hub, and what has no such number, as they are", () => {
    const text = '{"durationNs": 90071992547409930,\n "n": 1}';
    expect(withLargeNumbersAsText(text)).toBe(text);
    expect(withLargeNumbersAsText('{"a": 1}')).toBe('{"a": 1}');
  });
});
