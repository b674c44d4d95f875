import { useState } from "react";
import type { Schemas } from "../../api/client";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { ErrorNote } from "../../ui/States";
import columnsStyles from "./columns.module.css";
import styles from "./dataset.module.css";
import freshnessStyles from "./freshness.module.css";
import { type Body, bodyOf, type Form, formOf, type Kind } from "./expectation";

interface Props {
  expectation: Schemas["Expectation"] | null;
  error: unknown;
  isBusy: boolean;
  onSave: (body: Body) => void;
  onCancel: () => void;
}

const KINDS: { kind: Kind; title: string; about: string }[] = [
  { kind: "every", title: "Every so often", about: "a write is due some time after the last one" },
  { kind: "cron", title: "At set times", about: "a write is due at each of these times" },
  { kind: "learned", title: "As usual", about: "as its history says, weekends and all" },
];

export function ExpectationForm({ expectation, error, isBusy, onSave, onCancel }: Props) {
  const [form, setForm] = useState<Form>(() =>
    formOf(expectation, Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC"),
  );
  const field = (name: Exclude<keyof Form, "kind">, label: string, placeholder: string) => (
    <TextField
      label={label}
      required={name === form.kind}
      placeholder={placeholder}
      value={form[name]}
      onChange={(event) => setForm({ ...form, [name]: event.target.value })}
    />
  );
  return (
    <form
      className={freshnessStyles.form}
      aria-label="What is expected"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(bodyOf(form));
      }}
    >
      <fieldset>
        <legend className="visually-hidden">Kind of expectation</legend>
        {KINDS.map(({ kind, title, about }) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={form.kind === kind} onChange={() => setForm({ ...form, kind })} />
            <span>
              {title} <span className={styles.quiet}>{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className={freshnessStyles.inputsRow}>
        {form.kind === "every" && field("every", "Every", "6h, 1d12h")}
        {form.kind === "cron" && field("cron", "Times (cron)", "0 6 * * 1-5")}
        {form.kind !== "every" && field("zone", "Zone", "UTC")}
        {form.kind !== "learned" && field("tolerance", "Late after", form.kind === "every" ? "a tenth of it" : "1h")}
        {form.kind === "cron" && field("early", "May come early by", "0s")}
      </div>
      {error != null && <ErrorNote error={error} />}
      <div className={columnsStyles.ways}>
        <Button type="submit" look="main" disabled={isBusy}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
