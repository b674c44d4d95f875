import { expect, it } from "vitest";
import { busiest, figuresOf, strokeOf } from "./services";

const call = (caller: string, callee: string, calls: number) => ({
  caller,
  callee,
  calls,
  errors: 0,
  durationNs: { mean: 1, max: 1 },
});
const map = {
  services: [
    { name: "db", spans: 10, errors: 0 },
    { name: "shop", spans: 40, errors: 10 },
    { name: "idle", spans: 0, errors: 0 },
  ],
  calls: [call("shop", "db", 8), call("idle", "db", 1)],
};
const operation = (service: string, name: string, p95: number) => ({
  service,
  operation: name,
  durationNs: { p50: 0, p95, p99: 0, mean: 0, max: 0, total: 0 },
});

it("figures of services, the busiest first", () => {
  const all = [operation("shop", "GET /", 5), operation("shop", "POST /", 50), operation("db", "SELECT", 7)];
  const [shop, db, idle] = figuresOf(map, all, 20);
  expect(shop).toEqual({
    name: "shop",
    spans: 40,
    errors: 10,
    errorRate: 0.25,
    perSecond: 2,
    callsIn: 0,
    callsOut: 8,
    slowest: { operation: "POST /", p95Ns: 50 },
  });
  expect(db?.callsIn).toBe(9);
  expect(idle?.errorRate).toBe(0);
  expect(idle?.slowest).toBeUndefined();
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
