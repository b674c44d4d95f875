// What a pipeline's definition says of its parameters becomes a form; what is filled in becomes a request, or why not.
import type { Offer, Parameter } from "./offers";

export type Values = Record<string, string>;

/** A default that names a variable of the environment is filled in where the pipeline runs. */
export function isFromEnvironment(parameter: Parameter): boolean {
  return parameter.default != null && parameter.default.includes("${env:");
}

export function firstValues(offer: Offer, before: Values = {}): Values {
  return Object.fromEntries(
    (offer.parameters ?? []).map((one) => [
      one.name,
      before[one.name] ?? (isFromEnvironment(one) ? "" : (one.default ?? "")),
    ]),
  );
}

/** Only what differs from the definition is sent. */
export function given(offer: Offer, values: Values): Values {
  const found: Values = {};
  for (const one of offer.parameters ?? []) {
    const value = values[one.name] ?? "";
    if (value !== (one.default ?? "") && !(value === "" && one.default != null)) found[one.name] = value;
  }
  return found;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** Why a value can't be sent; the hub looks again, and knows more. */
export function unfit(parameter: Parameter, value: string): string | undefined {
  if (value === "") return parameter.default == null ? "It needs a value." : undefined;
  if (value === parameter.default) return undefined;
  if (parameter.type === "number" && !NUMBER.test(value)) return "A number, such as 7 or -0.5.";
  if (parameter.type === "identifier" && !IDENTIFIER.test(value)) return "Letters, digits and _.";
  if (parameter.type === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return "A date, such as 2026-11-01.";
  return undefined;
}

/** The same request twice gives one run. `crypto.randomUUID` isn't there on pages without TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
