import { expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { earlierOf } from "./earlier";

const run = (id: string, state: string) => ({ id, state }) as Schemas["TimelineRun"];

it("tells the run before from the last one that was good", () => {
  const found = earlierOf(
    [run("me", "FAILED"), run("c", "FAILED"), run("b", "COMPLETED"), run("a", "COMPLETED")],
    "me",
  );
  expect(found.before?.id).toBe("c");
  expect(found.lastGood?.id).toBe("b");
  expect(earlierOf([], "me")).toEqual({ before: undefined, lastGood: undefined });
});
