import { useId, type InputHTMLAttributes, type SelectHTMLAttributes } from "react";
import styles from "./Field.module.css";

interface Labelled {
  label: string;
  /** Only for assistive technology, where the place tells what it is. */
  quiet?: boolean;
}

export function TextField({ label, quiet, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={quiet ? "visually-hidden" : undefined}>
        {label}
      </label>
      <input id={id} type="text" {...rest} />
    </div>
  );
}

interface SelectProps<Value extends string>
  extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> {
  choices: { value: Value; title: string }[];
  value: Value;
  onChoose: (value: Value) => void;
}

export function Select<Value extends string>({ label, quiet, choices, value, onChoose, ...rest }: SelectProps<Value>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={quiet ? "visually-hidden" : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value as Value)} {...rest}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </div>
  );
}
