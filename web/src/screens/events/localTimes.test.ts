import { expect, it } from "vitest";
import { fromLocal, toLocal } from "./localTimes";

it("a moment comes back as it went", () => {
  for (const iso of ["2026-11-17T10:00:05Z", "2026-03-29T00:30:00Z", "2024-02-29T23:59:59Z"])
    expect(fromLocal(toLocal(iso))).toBe(iso);
});

it("what is no moment is none", () => {
  expect([toLocal(undefined), toLocal("soon"), fromLocal(""), fromLocal("soon")]).toEqual(["", "", "", ""]);
});
