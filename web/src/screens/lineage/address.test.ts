import { expect, it } from "vitest";
import { readView, startAt, type View, writeView } from "./address";

const FULL: View = {
  node: "dataset:s3://lake:a b/c&d=1",
  up: 0,
  down: 12,
  more: [
    { direction: "downstream", node: "job:n:x" },
    { direction: "upstream", node: "dataset:u:d" },
  ],
  columns: true,
  column: "datasetField:n:t:c#1",
  directOnly: true,
  tall: ["dataset:n:t", "dataset:n:u"],
  folded: ["dataset:n:v"],
  grouping: "path",
  open: ["group:path:n a/b"],
  path: "dataset:n:t",
  to: "job:n:x",
  filter: "50% off",
  at: "2026-11-17T10:00:00.123456789Z",
  from: "2026-11-16T10:00:00+02:00",
  selected: "job:n:x",
  edge: "a\nb",
  as: "list",
  place: { x: -12, y: 340, zoom: 0.75 },
};

it("a link restores the view", () => {
  expect(readView(new URLSearchParams(writeView(FULL).toString()))).toEqual(FULL);
});

it("a view as it is at first is only its node", () => {
  const view = readView(new URLSearchParams("node=job:n:x"));
  expect(writeView(view).toString()).toBe("node=job%3An%3Ax");
});

it("what isn't a view is taken as if it weren't there", () => {
  const view = readView(new URLSearchParams("up=-1&down=many&place=1,2&at=soon&group=colour&more=x&as=pie"));
  expect(view).toEqual(readView(new URLSearchParams()));
});

it("another node begins anew, at the same moment", () => {
  const next = startAt(FULL, "job:n:y");
  expect(next).toMatchObject({ node: "job:n:y", more: [], path: "", place: null, at: FULL.at, columns: true });
});
