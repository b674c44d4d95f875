import { useDeferredValue, useId, useMemo, useRef } from "react";
import { layOut } from "../../model/exactJson";
import { countText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { jsonFault } from "./jsonFault";
import styles from "./DeadLetters.module.css";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

const LETTERS_A_LINE = 70;

/** Room for what is there, and a little more. */
function rowsFor(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LETTERS_A_LINE), 0);
  return Math.min(26, Math.max(6, lines + 2));
}

/** A body to be mended; whether it is JSON is told while it is typed, with the line. */
export function Editor({ label, value, onChange }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  // Typing comes first: a large body is checked when there is time.
  const settled = useDeferredValue(value);
  const fault = useMemo(() => jsonFault(settled), [settled]);
  const goTo = () => {
    if (!fault || !box.current) return;
    const lines = value.split("\n");
    const at = lines.slice(0, fault.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + fault.column - 1;
    box.current.focus();
    box.current.setSelectionRange(at, Math.min(at + 1, value.length));
  };
  return (
    <div className={styles.editor}>
      <div className={styles.editorHead}>
        <label htmlFor={id}>{label}</label>
        <Button look="bare" disabled={fault !== undefined} onClick={() => onChange(layOut(value))}>
          Lay out
        </Button>
      </div>
      <textarea
        ref={box}
        id={id}
        value={value}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-state`}
        rows={rowsFor(value)}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-state`} className={styles.fault} data-tone={fault ? "bad" : "ok"} aria-live="polite">
        {fault ? (
          <>
            <button type="button" onClick={goTo}>
              Line {countText(fault.line)}, column {countText(fault.column)}
            </button>
            : {fault.message}
          </>
        ) : (
          "This is JSON."
        )}
      </p>
    </div>
  );
}
