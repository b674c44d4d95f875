import { useEffect, useState } from "react";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { fromLocal, toLocal } from "./localTimes";
import type { Filter, Kind } from "./rows";
import type { Window } from "./useEvents";
import styles from "./Events.module.css";

const KIND_CHOICES: { value: Kind | ""; title: string }[] = [
  { value: "", title: "all kinds" },
  { value: "RunEvent", title: "of runs" },
  { value: "JobEvent", title: "of jobs" },
  { value: "DatasetEvent", title: "of datasets" },
];
const TYPES = ["", "START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"].map((value) => ({
  value,
  title: value === "" ? "all types" : value.toLowerCase(),
}));

interface Props {
  filter: Filter;
  window: Window;
  onChange: (name: string, value: string) => void;
}

export function Filters({ filter, window, onChange }: Props) {
  const [text, setText] = useState(filter.text);
  useEffect(() => setText(filter.text), [filter.text]);
  const isSet = filter.kind || filter.type || filter.text || window.after || window.before;
  return (
    <form
      className={styles.filters}
      role="search"
      aria-label="Filter events"
      onSubmit={(event) => {
        event.preventDefault();
        onChange("q", text.trim());
      }}
    >
      <TextField
        label="Job, dataset, run or producer"
        quiet
        type="search"
        placeholder="Job, dataset, run or producer"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange("q", event.target.value);
        }}
      />
      <Select
        label="Kind"
        quiet
        choices={KIND_CHOICES}
        value={filter.kind}
        onChoose={(value) => onChange("kind", value)}
      />
      <Select label="Type" quiet choices={TYPES} value={filter.type} onChoose={(value) => onChange("type", value)} />
      <div className={styles.times}>
        <TextField
          label="after"
          type="datetime-local"
          step="1"
          value={toLocal(window.after)}
          onChange={(event) => onChange("after", fromLocal(event.target.value))}
        />
        <TextField
          label="before"
          type="datetime-local"
          step="1"
          value={toLocal(window.before)}
          onChange={(event) => onChange("before", fromLocal(event.target.value))}
        />
      </div>
      {isSet && (
        <Button
          look="bare"
          onClick={() => ["q", "kind", "type", "after", "before"].forEach((name) => onChange(name, ""))}
        >
          Clear
        </Button>
      )}
    </form>
  );
}
