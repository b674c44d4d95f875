import { useEffect, useId, useState } from "react";
import fieldStyles from "../../ui/Field.module.css";

interface Props {
  label: string;
  value: string;
  /** Names to choose from; others may be written. */
  names: string[];
  onChoose: (value: string) => void;
  placeholder?: string;
}

// Browsers draw every option of a list at once.
const MOST_NAMES = 1000;

/** A name, chosen from a list or written; it counts when it is one of the list, or with Enter. */
export function Choice({ label, value, names, onChoose, placeholder = "all" }: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const settle = (next: string) => {
    if (next !== value) onChoose(next);
  };
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        list={`${id}-names`}
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          if (event.target.value === "" || names.includes(event.target.value)) settle(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") settle(text.trim());
        }}
        onBlur={() => settle(text.trim())}
      />
      <datalist id={`${id}-names`}>
        {names.slice(0, MOST_NAMES).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
