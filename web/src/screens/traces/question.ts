// What traces are searched by, as the page's address has it and as the hub is asked.
export interface TraceQuestion {
  service: string;
  operation: string;
  /** In milliseconds; nothing is any. */
  least: string;
  errors: boolean;
  /** `name=value`, all of which a span has. */
  attributes: string[];
  page: number;
}

export const PAGE = 500;
// The hub's own bound.
const MOST_MS = 1e12;

export function questionOf(params: URLSearchParams): TraceQuestion {
  const page = Number(params.get("page") ?? 1);
  return {
    service: params.get("service") ?? "",
    operation: params.get("operation") ?? "",
    least: params.get("min") ?? "",
    errors: params.get("error") === "true",
    attributes: params.getAll("attribute").filter(isAttribute),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

export function isAttribute(text: string): boolean {
  return text.indexOf("=") > 0;
}

/** Conditions as the API takes them; what isn't a number of milliseconds is none. */
export function conditionsOf(question: TraceQuestion) {
  const least = Number(question.least);
  return {
    service: question.service || undefined,
    operation: question.operation || undefined,
    minDurationMs: question.least.trim() && least > 0 && least <= MOST_MS ? least : undefined,
    error: question.errors || undefined,
    attribute: question.attributes.length > 0 ? question.attributes : undefined,
    limit: PAGE,
    offset: (question.page - 1) * PAGE,
  };
}

export function isPlain(question: TraceQuestion): boolean {
  const { service, operation, minDurationMs, error, attribute } = conditionsOf(question);
  return [service, operation, minDurationMs, error, attribute].every((condition) => condition === undefined);
}

/** At most two traces are compared: a third takes the place of the first. */
export function withPick(picked: string[], id: string): string[] {
  return picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2);
}
