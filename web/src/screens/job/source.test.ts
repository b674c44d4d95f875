import { describe, expect, it } from "vitest";
import { codeOf, sourceOf, sqlOf } from "./source";

describe("sourceOf", () => {
  it("opens an address of the web", () =>
    expect(sourceOf({ sourceCodeLocation: { url: "https://example.org/a.py", version: "v2" } })).toEqual({
      text: "https://example.org/a.py",
      href: "https://example.org/a.py",
      version: "v2",
    }));
  it("puts an address together from repository, path and version", () => {
    const facet = { type: "git", repoUrl: "git@forge.test:team/etl.git", path: "jobs/load orders.py", version: "abc" };
    expect(sourceOf({ sourceCodeLocation: facet })?.href).toBe(
      "https://forge.test/team/etl/blob/abc/jobs/load%20orders.py",
    );
  });
  it("opens nothing that would be run", () => {
    expect(sourceOf({ sourceCodeLocation: { url: "javascript:alert(1)" } })?.href).toBeUndefined();
    expect(sourceOf({ sourceCodeLocation: { url: "file:///etc/passwd" } })?.href).toBeUndefined();
    expect(sourceOf({}, "/opt/jobs/load.py")).toEqual({
      text: "/opt/jobs/load.py",
      href: undefined,
      version: undefined,
    });
  });
  it("says nothing where nothing is told", () => expect(sourceOf({ sourceCodeLocation: 7 })).toBeUndefined());
});

it("reads SQL and code, whatever else is there", () => {
  expect(sqlOf({ sql: { query: "select 1" } })).toBe("select 1");
  expect(sqlOf({ sql: { query: 1 } })).toBeUndefined();
  expect(codeOf({ sourceCode: { language: "PYTHON", sourceCode: "pass" } })).toEqual({
    text: "pass",
    language: "python",
  });
  expect(codeOf({ sourceCode: { language: "cobol", sourceCode: "STOP" } })?.language).toBe("text");
  expect(codeOf({})).toBeUndefined();
});
