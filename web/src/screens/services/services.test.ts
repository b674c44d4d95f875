import { expect, it } from "vitest";
import { busiest, figuresOf, strokeOf } from "./services";

const call = (caller: string, callee: string, calls: number) => ({
  caller,
  callee,
  calls,
  errors: 0,
  durationNs: { mean: 1, max: 1 },
});
const took = (p95: number) => ({ p50: 1, p95, p99: p95, mean: 1, max: p95, total: p95 });
const service = (name: string, spans: number, errors: number, p95: number) => ({
  name,
  spans,
  errors,
  errorRate: spans > 0 ? errors / spans : 0,
  spansPerSecond: 0,
  durationNs: took(p95),
});
const map = {
  services: [service("db", 10, 0, 7), service("shop", 40, 10, 50), service("idle", 0, 0, 0)],
  calls: [call("shop", "db", 8), call("idle", "db", 1)],
};

it("figures of services, the busiest first", () => {
  const [shop, db, idle] = figuresOf(map, 20);
  expect(shop).toEqual({
    name: "shop",
    spans: 40,
    errors: 10,
    errorRate: 0.25,
    perSecond: 2,
    callsIn: 0,
    callsOut: 8,
    durationNs: took(50),
  });
  expect(db?.callsIn).toBe(9);
  expect(idle?.errorRate).toBe(0);
});

it("a map that is too large keeps the busiest, and tells how many it hides", () => {
  const cut = busiest(map, 2);
  expect(cut.services.map((service) => service.name)).toEqual(["shop", "db"]);
  expect(cut.calls.map((one) => one.caller)).toEqual(["shop"]);
  expect(cut.hidden).toBe(1);
});

it("lines get thicker by powers of ten", () => {
  expect(strokeOf(1)).toBe(1);
  expect(strokeOf(1000)).toBe(4);
  expect(strokeOf(1e9)).toBe(5);
});
