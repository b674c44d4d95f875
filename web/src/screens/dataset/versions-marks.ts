// Which versions came with another schema than the one before.
import type { Schemas } from "../../api/client";

type Version = Pick<Schemas["DatasetVersion"], "currentSchemaVersion">;

/** Versions come newest first; of the last one nothing is said, since the one before it isn't there. */
export function withSchemaMarks<V extends Version>(versions: V[]): { version: V; isNewSchema: boolean }[] {
  return versions.map((version, index) => {
    const before = versions[index + 1];
    return {
      version,
      isNewSchema: before !== undefined && before.currentSchemaVersion !== version.currentSchemaVersion,
    };
  });
}
