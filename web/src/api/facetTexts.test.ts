import { expect, it } from "vitest";
import { facetTexts } from "./facetTexts";

it("numbers of facets that JavaScript can't hold are shown as they were told", () => {
  const answer =
    '{"name": "facets", "facets": {"outputStatistics": {"rowCount": 9007199254740993, "size": 12345678901234567890.50},' +
    ' "x": 1e400}, "id": 1}';
  expect(facetTexts(answer)).toEqual([
    {
      name: "outputStatistics",
      text: '{\n  "rowCount": 9007199254740993,\n  "size": 12345678901234567890.50\n}',
    },
    { name: "x", text: "1e400" },
  ]);
  expect(facetTexts('{"facets": {}}')).toEqual([]);
});
