import { expect, it } from "vitest";
import { rowsOfRun, rowsTogether } from "./volume";

const dataset = (name: string, more = {}) => ({
  datasetVersionId: { namespace: "pg", name, version: null },
  facets: {},
  ...more,
});
const statistics = (rowCount: number | null) => ({ statistics: { rowCount, size: null, fileCount: null } });

it("counts rows of those that tell, and checks that say", () => {
  const rows = rowsOfRun({
    inputDatasetVersions: [dataset("a", statistics(10)), dataset("b", statistics(5)), dataset("c")],
    outputDatasetVersions: [
      dataset("d", {
        assertions: [
          { assertion: "not_null", success: false, column: "id", severity: null },
          { assertion: "unique", success: true, column: "id", severity: null },
          { assertion: "odd", success: null, column: null, severity: null },
        ],
      }),
    ],
  });
  expect(rowsTogether(rows, "input")).toBe(15);
  expect(rowsTogether(rows, "output")).toBeNull();
  expect(rows[3]).toMatchObject({ side: "output", passed: 1, failed: ["not_null (id)"], rows: null });
});
