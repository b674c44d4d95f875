import { describe, expect, it } from "vitest";
import { addressOf, type Asking, type Channel, type Part, PartsClient } from "./parts";

function told() {
  const asked: Asking[] = [];
  let take: (part: Part) => void = () => undefined;
  let fail: () => void = () => undefined;
  const channel: Channel = {
    post: (asking) => asked.push(asking),
    listen: (taker, failer) => {
      take = taker;
      fail = failer;
    },
  };
  const client = new PartsClient(channel);
  const ask = (signal = new AbortController().signal) => client.ask("/api/v1/lineage", { nodeId: "job:a:b" }, signal);
  return { asked, ask, take: (part: Part) => take(part), fail: () => fail() };
}

describe("an answer in parts", () => {
  it("is put together in the order of its parts, also when two are asked at once", async () => {
    const { ask, take, asked } = told();
    const answers = [ask(), ask()];
    expect(asked).toEqual([1, 2].map((id) => ({ id, url: "/api/v1/lineage?nodeId=job%3Aa%3Ab" })));
    take({ id: 2, nodes: ["x"] });
    take({ id: 1, nodes: ["a", "b"] });
    take({ id: 1, nodes: ["c"] });
    take({ id: 1, rest: { truncated: true } });
    take({ id: 2, rest: { truncated: false } });
    expect(await Promise.all(answers)).toEqual([
      { graph: ["a", "b", "c"], truncated: true },
      { graph: ["x"], truncated: false },
    ]);
  });

  it("that the hub refuses has the hub's words", async () => {
    const { ask, take } = told();
    const answer = ask();
    take({ id: 1, refused: { code: 410, message: "too old" } });
    await expect(answer).rejects.toEqual({ code: 410, message: "too old" });
  });

  it("that nobody wants any more is dropped, and what still comes of it counts for nothing", async () => {
    const { ask, take, asked } = told();
    const control = new AbortController();
    const answer = ask(control.signal);
    control.abort();
    take({ id: 1, rest: {} });
    await expect(answer).rejects.toThrow();
    expect(asked.at(-1)).toEqual({ drop: 1 });
  });

  it("isn't waited for when the worker can't work", async () => {
    const { ask, fail } = told();
    const answer = ask();
    fail();
    await expect(answer).rejects.toThrow("no answer");
  });
});

it("an address keeps per cent signs, and stands under the hub's path", () => {
  const url = addressOf("/api/v1/lineage", { nodeId: "dataset:a:100% of a+b &c", depth: 2, as_of: undefined }, "/hub/");
  expect(url).toMatch(/^\/hub\/api\/v1\/lineage\?/);
  const search = new URL(url, "http://hub").searchParams;
  expect(search.get("nodeId")).toBe("dataset:a:100% of a+b &c");
  expect([...search.keys()]).toEqual(["nodeId", "depth"]);
});
