import { useEffect, useState } from "react";
import { Button } from "./Button";
import styles from "./Code.module.css";

type Language = "sql" | "json" | "python" | "bash" | "yaml" | "diff" | "text";

interface Props {
  text: string;
  language?: Language;
  /** Named for assistive technology, and above it. */
  label: string;
  maxHeight?: number;
}

/** Text as it is written, coloured where its language is known, to be copied. */
export function Code({ text, language = "text", label, maxHeight = 420 }: Props) {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    let wanted = true;
    setHtml(undefined);
    if (language !== "text") {
      // Colour comes after the text: the text alone can be read at once.
      void import("./highlight").then(({ highlight }) => {
        if (wanted) setHtml(highlight(text, language));
      });
    }
    return () => {
      wanted = false;
    };
  }, [text, language]);
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} style={{ maxHeight }} aria-label={label}>
        {html === undefined ? <code>{text}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button look="bare" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      {copied ? "Copied" : label}
    </Button>
  );
}
