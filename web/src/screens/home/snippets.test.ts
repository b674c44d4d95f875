import { expect, it } from "vitest";
import { addressOf, SNIPPETS, snippetText } from "./snippets";

it("every snippet has the hub's own address", () => {
  for (const { text } of SNIPPETS) {
    const filled = snippetText(text, "https://data.example/hub/");
    expect(filled).toContain("https://data.example/hub/");
    expect(filled).not.toContain("{url}");
  }
});

it("a prefix keeps its slash", () => {
  expect(addressOf("http://127.0.0.1:8000", "/")).toBe("http://127.0.0.1:8000");
  expect(addressOf("https://data.example", "/hub/")).toBe("https://data.example/hub/");
});
