import { expect, it } from "vitest";
import { type EventRow, rowOfMessage } from "./rows";
import { MOST_TAIL, paused, QUIET, received, resumed } from "./tail";

const rows = (...ids: (string | number)[]): EventRow[] => ids.map((id) => rowOfMessage({ id: String(id) }));
const ids = (all: EventRow[]) => all.map((row) => row.id);

it("the newest stands first, and a repeat isn't shown again", () => {
  const tail = received(received(QUIET, rows("a", "b")), rows("b", "c"));
  expect(ids(tail.shown)).toEqual(["c", "b", "a"]);
});

it("while it is paused, what comes waits and is counted", () => {
  const tail = received(paused(received(QUIET, rows("a"))), rows("b", "c"));
  expect([ids(tail.shown), ids(tail.waiting)]).toEqual([["a"], ["c", "b"]]);
  expect(ids(resumed(tail).shown)).toEqual(["c", "b", "a"]);
  expect(resumed(tail)).toMatchObject({ isPaused: false, waiting: [], lost: 0 });
});

it("never holds more than fits, and says how many went", () => {
  const many = rows(...Array.from({ length: MOST_TAIL + 5 }, (_, at) => at));
  const tail = received(QUIET, many);
  expect(tail.shown).toHaveLength(MOST_TAIL);
  expect(tail.lost).toBe(5);
  expect(tail.shown[0]?.id).toBe(String(MOST_TAIL + 4));
  expect(resumed(received(paused(tail), rows("x"))).lost).toBe(6);
});
