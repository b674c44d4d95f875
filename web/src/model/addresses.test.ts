import { expect, it } from "vitest";
import { segmentsOf } from "./addresses";

it("names keep slashes, colons and per cent signs", () => {
  expect(segmentsOf("/datasets/s3%3A%2F%2Flake/a%2Fb", "/")).toEqual(["datasets", "s3://lake", "a/b"]);
  expect(segmentsOf("/hub/jobs/ns/50%25%2Foff", "/hub/")).toEqual(["jobs", "ns", "50%/off"]);
  expect(segmentsOf("/jobs/ns/broken%", "/")).toEqual(["jobs", "ns", "broken%"]);
});
