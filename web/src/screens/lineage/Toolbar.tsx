// What the picture shows: how far, which way, with or without columns, grouped how, and what is looked for in it.
import { useEffect, useState } from "react";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { DEFAULT_DEPTH, MOST_DEPTH, type View } from "./address";
import type { Grouping } from "./folders";
import type { Change } from "./useView";
import styles from "./Toolbar.module.css";

interface Props {
  view: View;
  change: Change;
  /** How many nodes match the filter, of how many. */
  matches: number;
  total: number;
}

const WAYS = [
  { value: "both", title: "both ways" },
  { value: "upstream", title: "upstream" },
  { value: "downstream", title: "downstream" },
] as const;

const GROUPINGS: { value: Grouping; title: string }[] = [
  { value: "auto", title: "only if large" },
  { value: "namespace", title: "by namespace" },
  { value: "tag", title: "by tag" },
  { value: "path", title: "by folder" },
];

export function Toolbar({ view, change, matches, total }: Props) {
  const way = view.down === 0 && view.up > 0 ? "upstream" : view.up === 0 && view.down > 0 ? "downstream" : "both";
  const depth = Math.max(view.up, view.down) || DEFAULT_DEPTH;
  return (
    <div className={styles.bar} role="toolbar" aria-label="What is shown">
      <Select
        label="Direction"
        quiet
        choices={[...WAYS]}
        value={way}
        onChoose={(chosen) =>
          change({
            up: chosen === "downstream" ? 0 : view.up || depth,
            down: chosen === "upstream" ? 0 : view.down || depth,
          })
        }
      />
      <Stepper label="Upstream" value={view.up} onChange={(up) => change({ up })} />
      <Stepper label="Downstream" value={view.down} onChange={(down) => change({ down })} />
      <Button
        pressed={view.columns}
        aria-keyshortcuts="c"
        onClick={() => change({ columns: !view.columns, column: "" })}
      >
        Columns
      </Button>
      <Select
        label="Group"
        choices={GROUPINGS}
        value={view.grouping}
        onChoose={(grouping) => change({ grouping, open: [] })}
      />
      {view.open.length > 0 && (
        <Button look="bare" onClick={() => change({ open: [] })}>
          Close groups
        </Button>
      )}
      <Filter value={view.filter} onChange={(filter) => change({ filter })} />
      {view.filter !== "" && (
        <span className={styles.count} role="status">
          {matches} of {total} match
        </span>
      )}
      {view.more.length > 0 && (
        <Button look="bare" onClick={() => change({ more: [] })}>
          Fold back
        </Button>
      )}
    </div>
  );
}

function Stepper({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  return (
    <div className={styles.stepper} role="group" aria-label={`${label} depth`}>
      <span className={styles.label}>{label}</span>
      <Button aria-label={`Less ${label.toLowerCase()}`} disabled={value === 0} onClick={() => onChange(value - 1)}>
        −
      </Button>
      <output>{value}</output>
      <Button
        aria-label={`More ${label.toLowerCase()}`}
        disabled={value >= MOST_DEPTH}
        onClick={() => onChange(value + 1)}
      >
        +
      </Button>
    </div>
  );
}

/** Kept here while it is typed: the picture needn't follow each letter. */
function Filter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), 150);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <TextField
      label="Filter"
      quiet
      type="search"
      placeholder="Filter"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
