// A dataset as the hub answers it, and its names as the hub's routes take them.
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";

/** The client's types leave out a member that is always null. */
export type DatasetAnswer = Omit<Schemas["DatasetAnswer"], "lastModifiedAt">;

export function pathOf({ namespace, name }: Name) {
  return { namespace, dataset: name };
}
