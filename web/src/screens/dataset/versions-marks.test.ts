import { expect, it } from "vitest";
import { withSchemaMarks } from "./versions-marks";

it("marks a version whose schema isn't that of the one before it", () => {
  const versions = ["b", "b", "a", null].map((currentSchemaVersion) => ({ currentSchemaVersion }));
  expect(withSchemaMarks(versions).map((one) => one.isNewSchema)).toEqual([false, true, true, false]);
  expect(withSchemaMarks([])).toEqual([]);
});
