// What is expected of a dataset, as a form and as a sentence.
import type { Schemas } from "../../api/client";
import { durationText } from "../../model/times";

type Expectation = Schemas["Expectation"];
export type Kind = "every" | "cron" | "learned";

/** All that the form's three kinds ask for; what is left empty, the hub chooses. */
export interface Form {
  kind: Kind;
  every: string;
  cron: string;
  zone: string;
  tolerance: string;
  early: string;
}

export type Body =
  | { every: string; tolerance?: string }
  | { cron: string; zone?: string; tolerance?: string; early?: string }
  | { learned: true; zone?: string };

export function formOf(expectation: Expectation | null, zone: string): Form {
  const empty: Form = { kind: "every", every: "", cron: "", zone, tolerance: "", early: "" };
  if (expectation === null) return empty;
  if ("every" in expectation)
    return { ...empty, kind: "every", every: expectation.every, tolerance: expectation.tolerance };
  if ("cron" in expectation) {
    const { cron, tolerance, early } = expectation;
    return { kind: "cron", every: "", cron, zone: expectation.zone, tolerance, early };
  }
  return { ...empty, kind: "learned", zone: expectation.zone };
}

/** Only what belongs to the kind that was chosen: the hub refuses what means nothing. */
export function bodyOf(form: Form): Body {
  const given = (text: string) => text.trim() || undefined;
  switch (form.kind) {
    case "every":
      return { every: form.every.trim(), tolerance: given(form.tolerance) };
    case "cron":
      return {
        cron: form.cron.trim(),
        zone: given(form.zone),
        tolerance: given(form.tolerance),
        early: given(form.early),
      };
    case "learned":
      return { learned: true, zone: given(form.zone) };
  }
}

const UNIT_S: Record<string, number> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };

/** The hub's `1d2h24m19s` as people say it: `1 d 2 h`. */
export function spoken(duration: string): string {
  const parts = [...duration.matchAll(/(\d+)([wdhms])/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_S[unit ?? ""] ?? 0), 0);
  return seconds > 0 ? durationText(seconds * 1000) : duration;
}

export function expectationText(expectation: Expectation): string {
  if ("every" in expectation)
    return `A write every ${spoken(expectation.every)}; late ${spoken(expectation.tolerance)} after that.`;
  if ("cron" in expectation) {
    const early = expectation.early === "0s" ? "" : `, from ${spoken(expectation.early)} before on`;
    return `A write at ${expectation.cron} (${expectation.zone})${early}; late ${spoken(expectation.tolerance)} after that.`;
  }
  return `As its history says (${expectation.zone}).`;
}

export function habitText({ pattern, gaps }: Schemas["Habit"]): string {
  const weekend = gaps.weekend && pattern !== "every day" ? `; ${spoken(gaps.weekend.due)} at weekends` : "";
  const silent = pattern === "weekdays" ? "; weekends may be silent" : "";
  return `Usually a write at least every ${spoken(gaps.weekday.due)}${weekend}${silent}. Late after ${spoken(gaps.weekday.late)}.`;
}
