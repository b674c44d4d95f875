import { shortRun } from "../../model/nodes";
import { useState } from "react";
import { query } from "../../api/client";
import type { Name } from "../../model/nodes";
import { stateText } from "../../model/states";
import { durationText, millis, minuteText } from "../../model/times";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import styles from "./comparison.module.css";

interface Props {
  label: string;
  id: string;
  /** Its latest runs can be chosen from. */
  job: Name | undefined;
  onPick: (id: string) => void;
}

const OTHER = "another";

export function RunPicker({ label, id, job, onPick }: Props) {
  const [typed, setTyped] = useState<string>();
  const timeline = query.useQuery(
    "get",
    "/api/v1/namespaces/{namespace}/jobs/{job}/timeline",
    { params: { path: { namespace: job?.namespace ?? "", job: job?.name ?? "" }, query: { limit: 100 } } },
    { enabled: job !== undefined },
  );
  const runs = timeline.data?.runs ?? [];
  const choices = runs.map((run) => ({
    value: run.id,
    title: `${minuteText(millis(run.startedAt))}, ${stateText(run.state)}${run.durationMs === null ? "" : `, ${durationText(run.durationMs)}`}`,
  }));
  if (!runs.some((run) => run.id === id)) choices.unshift({ value: id, title: `run ${shortRun(id)}` });
  if (typed !== undefined) {
    return (
      <form
        className={styles.picker}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim()) onPick(typed.trim());
          setTyped(undefined);
        }}
      >
        <TextField
          label={`${label}: id`}
          value={typed}
          autoFocus
          placeholder="id of a run"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">Take it</Button>
        <Button look="bare" onClick={() => setTyped(undefined)}>
          Cancel
        </Button>
      </form>
    );
  }
  return (
    <div className={styles.picker}>
      <Select
        label={label}
        value={id}
        choices={[...choices, { value: OTHER, title: "a run of another job…" }]}
        onChoose={(value) => (value === OTHER ? setTyped("") : onPick(value))}
      />
    </div>
  );
}
