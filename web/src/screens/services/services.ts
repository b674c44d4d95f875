// What is told of a service: how busy it is, how well it goes, and how long it takes.
import type { Schemas } from "../../api/client";

type ServiceMap = Pick<Schemas["ServiceMap"], "services" | "calls">;

export interface ServiceFigures {
  name: string;
  spans: number;
  errors: number;
  errorRate: number;
  perSecond: number;
  callsIn: number;
  callsOut: number;
  durationNs: Pick<Schemas["Operation"]["durationNs"], "p50" | "p95" | "p99">;
}

export function figuresOf(map: ServiceMap, seconds: number): ServiceFigures[] {
  const sum = (of: "caller" | "callee", name: string) =>
    map.calls.reduce((total, call) => total + (call[of] === name ? call.calls : 0), 0);
  return map.services
    .map(({ name, spans, errors, durationNs }) => ({
      name,
      spans,
      errors,
      errorRate: spans > 0 ? errors / spans : 0,
      perSecond: seconds > 0 ? spans / seconds : 0,
      callsIn: sum("callee", name),
      callsOut: sum("caller", name),
      durationNs,
    }))
    .sort((a, b) => b.spans - a.spans || a.name.localeCompare(b.name));
}

/** A map of more services than can be read shows the busiest, and the calls between them. */
export function busiest(map: ServiceMap, most: number): ServiceMap & { hidden: number } {
  const services = [...map.services].sort((a, b) => b.spans - a.spans).slice(0, most);
  const kept = new Set(services.map((service) => service.name));
  const calls = map.calls.filter((call) => kept.has(call.caller) && kept.has(call.callee));
  return { services, calls, hidden: map.services.length - services.length };
}

/** Between one and five pixels; ten times the calls are one pixel more. */
export function strokeOf(calls: number): number {
  return Math.min(5, 1 + Math.log10(Math.max(1, calls)));
}
