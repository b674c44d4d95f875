import { describe, expect, it } from "vitest";
import { type Call, callKey, layered } from "./layers";
import { layoutOf, NODE } from "./layout";

/** A small generator with a seed, so that a failure can be seen again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function randomGraph(seed: number, acyclic: boolean): { names: string[]; calls: Call[] } {
  const next = random(seed);
  const names = Array.from({ length: 2 + Math.floor(next() * 14) }, (_, at) => `s${at}`);
  const calls = new Map<string, Call>();
  for (let tries = Math.floor(next() * names.length * 3); tries > 0; tries--) {
    const [a, b] = [Math.floor(next() * names.length), Math.floor(next() * names.length)];
    if (a === b) continue;
    const [from, to] = acyclic ? [Math.min(a, b), Math.max(a, b)] : [a, b];
    const call = { caller: `s${from}`, callee: `s${to}` };
    calls.set(callKey(call), call);
  }
  return { names, calls: [...calls.values()] };
}

function longestWay(name: string, calls: Call[]): number {
  return calls
    .filter((call) => call.callee === name)
    .reduce((most, call) => Math.max(most, longestWay(call.caller, calls) + 1), 0);
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1);

describe("layers", () => {
  it("of graphs without circles are the longest ways, and no call goes back", () => {
    for (const seed of SEEDS) {
      const { names, calls } = randomGraph(seed, true);
      const { layers, back } = layered(names, calls);
      expect(back.size, `seed ${seed}`).toBe(0);
      layers.forEach((layer, depth) => {
        for (const name of layer) expect(longestWay(name, calls), `seed ${seed}, ${name}`).toBe(depth);
      });
    }
  });

  it("of graphs with circles have every service once, and all other calls go forth", () => {
    for (const seed of SEEDS) {
      const { names, calls } = randomGraph(seed, false);
      const { layers, back, alone } = layered(names, calls);
      expect([...layers.flat(), ...alone].sort(), `seed ${seed}`).toEqual([...names].sort());
      const depth = new Map(layers.flatMap((layer, at) => layer.map((name) => [name, at] as const)));
      for (const call of calls) {
        const forth = (depth.get(call.callee) ?? 0) - (depth.get(call.caller) ?? 0);
        if (back.has(callKey(call))) expect(forth, `seed ${seed}`).toBeLessThan(0);
        else expect(forth, `seed ${seed}`).toBeGreaterThan(0);
      }
    }
  });
});

describe("a layout", () => {
  it("lets no two services overlap, and draws every call once", () => {
    for (const seed of SEEDS) {
      const { names, calls } = randomGraph(seed, false);
      const { nodes, edges, width, height } = layoutOf(names, calls);
      expect(nodes.map((node) => node.name).sort()).toEqual([...names].sort());
      expect(edges.map((edge) => edge.key).sort()).toEqual(calls.map(callKey).sort());
      nodes.forEach((a, at) => {
        expect(a.x).toBeGreaterThanOrEqual(0);
        expect(a.y).toBeGreaterThanOrEqual(-0.001);
        expect(a.x + NODE.width).toBeLessThanOrEqual(width);
        expect(a.y + NODE.height).toBeLessThanOrEqual(height);
        for (const b of nodes.slice(at + 1)) {
          const isApart = Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height;
          expect(isApart, `seed ${seed}: ${a.name} and ${b.name}`).toBe(true);
        }
      });
    }
  });

  it("is the same whatever the order of the answer", () => {
    const { names, calls } = randomGraph(7, true);
    const again = layoutOf([...names].reverse(), calls);
    expect(again.nodes).toEqual(layoutOf(names, calls).nodes);
  });

  it("of nothing is nothing", () => {
    expect(layoutOf([], [])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  });

  it("of a service that calls itself stands, without a curve", () => {
    const { nodes, edges } = layoutOf(["a"], [{ caller: "a", callee: "a" }]);
    expect([nodes.length, edges.length]).toEqual([1, 0]);
  });

  it("of two that call each other has two curves that don't lie on each other", () => {
    const { edges } = layoutOf(
      ["a", "b"],
      [
        { caller: "a", callee: "b" },
        { caller: "b", callee: "a" },
      ],
    );
    expect(new Set(edges.map((edge) => edge.middle.y)).size).toBe(2);
  });
});
