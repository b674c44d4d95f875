import { describe, expect, it } from "vitest";
import { PAGE, pagesOf, placed } from "./slices";

describe("pages", () => {
  it("cover what is in sight, and nothing beyond the end", () => {
    expect(pagesOf(1_000, 0, 20)).toEqual([0]);
    expect(pagesOf(1_000, PAGE - 1, PAGE)).toEqual([0, PAGE]);
    expect(pagesOf(1_000, 250, 420)).toEqual([200, 300, 400]);
    expect(pagesOf(150, 120, 400)).toEqual([100]);
    expect(pagesOf(0, 0, PAGE)).toEqual([]);
  });

  it("stand at their places, and what isn't there leaves a gap", () => {
    const rows = placed(250, [
      { offset: 200, rows: ["c"] },
      { offset: 0, rows: ["a", "b"] },
    ]);
    expect([rows[0], rows[1], rows[2], rows[200]]).toEqual(["a", "b", undefined, "c"]);
  });

  it("never reach beyond a list that has become shorter", () => {
    expect(placed(101, [{ offset: 100, rows: ["x", "y"] }]).length).toBe(101);
  });
});
