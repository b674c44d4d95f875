// What a run read and wrote as rows of one table, and how much that is together.
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";

type RunDataset = Schemas["RunDataset"];
type Sides = Pick<Schemas["RunAnswer"], "inputDatasetVersions" | "outputDatasetVersions">;

export interface RunSide {
  side: "input" | "output";
  of: Name;
  version: string | null;
  rows: number | null;
  bytes: number | null;
  files: number | null;
  passed: number;
  /** Names of the checks that failed. */
  failed: string[];
}

export function rowsOfRun(run: Sides): RunSide[] {
  return [
    ...run.inputDatasetVersions.map((one) => sideOf("input", one)),
    ...run.outputDatasetVersions.map((one) => sideOf("output", one)),
  ];
}

function sideOf(side: RunSide["side"], one: RunDataset): RunSide {
  const checks = one.assertions ?? [];
  return {
    side,
    of: one.datasetVersionId,
    version: one.datasetVersionId.version,
    rows: one.statistics?.rowCount ?? one.quality?.rowCount ?? null,
    bytes: one.statistics?.size ?? one.quality?.bytes ?? null,
    files: one.statistics?.fileCount ?? one.quality?.fileCount ?? null,
    passed: checks.filter((check) => check.success === true).length,
    failed: checks
      .filter((check) => check.success === false)
      .map((check) => (check.column ? `${check.assertion} (${check.column})` : check.assertion)),
  };
}

/** Of those that tell; nothing if none does. */
export function rowsTogether(rows: readonly RunSide[], side: RunSide["side"]): number | null {
  const counts = rows.filter((row) => row.side === side && row.rows !== null).map((row) => row.rows ?? 0);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
