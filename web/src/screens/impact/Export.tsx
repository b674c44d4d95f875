import { useState } from "react";
import { BASE } from "../../api/base";
import { problemOf } from "../../api/client";
import { Button } from "../../ui/Button";
import buttons from "../../ui/Button.module.css";
import { fileName, type Subject } from "./summary";

function addressOf(node: string, format: string): string {
  return `${BASE}api/v1/impact?${new URLSearchParams({ nodeId: node, format })}`;
}

/** The same answer for a spreadsheet, and for a ticket. */
export function Export({ subject, node }: { subject: Subject; node: string }) {
  return (
    <>
      <a className={buttons.button} href={addressOf(node, "csv")} download={fileName(subject, "csv")}>
        CSV
      </a>
      <a className={buttons.button} href={addressOf(node, "markdown")} download={fileName(subject, "md")}>
        Markdown
      </a>
      <CopyMarkdown node={node} />
    </>
  );
}

type State = "ready" | "copied" | "failed";
const WORDS: Record<State, string> = { ready: "Copy Markdown", copied: "Copied", failed: "Could not copy" };

function CopyMarkdown({ node }: { node: string }) {
  const [state, setState] = useState<State>("ready");
  const copy = async () => {
    try {
      const answer = await fetch(addressOf(node, "markdown"));
      if (!answer.ok) throw new Error(problemOf(await answer.json()).message);
      await navigator.clipboard.writeText(await answer.text());
      setState("copied");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("ready"), 2_000);
  };
  return (
    <Button onClick={() => void copy()} aria-live="polite">
      {WORDS[state]}
    </Button>
  );
}
