import { useMemo, useState } from "react";
import { query } from "../../api/client";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { useAsked } from "../telemetry/asked";
import { Choice } from "../telemetry/Choice";
import { useServiceNames } from "../telemetry/Operations";
import { useTime } from "../telemetry/TelemetryScreen";
import { isAttribute, isPlain, type TraceQuestion } from "./question";
import styles from "./traces.module.css";

const MOST_NAMES = 500;

/** By what traces are searched. Each condition counts as soon as it is complete. */
export function TraceFilters({ question }: { question: TraceQuestion }) {
  const { within } = useTime();
  const [, ask] = useAsked();
  const services = useServiceNames();
  const { data } = query.useQuery("get", "/api/v1/telemetry/operations", {
    // Only their names are wanted: the rollups have these.
    params: {
      query: { ...within, service: question.service || undefined, sort: "spans", exact: false, limit: MOST_NAMES },
    },
  });
  const operations = useMemo(() => [...new Set((data?.operations ?? []).map((one) => one.operation))], [data]);
  const narrow = (changes: Parameters<typeof ask>[0]) => ask({ ...changes, page: null });
  return (
    <form className={styles.filters} role="search" aria-label="Traces" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Service" value={question.service} names={services} onChoose={(service) => narrow({ service })} />
      <Choice
        label="Operation"
        value={question.operation}
        names={operations}
        onChoose={(operation) => narrow({ operation })}
      />
      <Least value={question.least} onChoose={(min) => narrow({ min })} />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={question.errors}
          onChange={(event) => narrow({ error: event.target.checked ? "true" : null })}
        />
        with errors
      </label>
      <Attributes having={question.attributes} onChoose={(attribute) => narrow({ attribute })} />
      {!isPlain(question) && (
        <Button
          look="bare"
          onClick={() => narrow({ service: null, operation: null, min: null, error: null, attribute: null })}
        >
          All traces
        </Button>
      )}
    </form>
  );
}

function Least({ value, onChoose }: { value: string; onChoose: (value: string) => void }) {
  return (
    <TextField
      key={value}
      label="At least (ms)"
      className={styles.least}
      type="number"
      min={0}
      step="any"
      defaultValue={value}
      placeholder="any"
      onBlur={(event) => event.target.value !== value && onChoose(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}

function Attributes({ having, onChoose }: { having: string[]; onChoose: (having: string[]) => void }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);
  const add = () => {
    const wanted = text.trim();
    setWrong(wanted !== "" && !isAttribute(wanted));
    if (!isAttribute(wanted)) return;
    setText("");
    if (!having.includes(wanted)) onChoose([...having, wanted]);
  };
  return (
    <>
      <TextField
        label="Attribute"
        value={text}
        placeholder="name=value, Enter"
        aria-invalid={wrong}
        onChange={(event) => setText(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => event.key === "Enter" && add()}
      />
      {wrong && (
        <span role="alert" className={styles.wrong}>
          Write name=value.
        </span>
      )}
      {having.map((one) => (
        <Button
          key={one}
          aria-label={`Without ${one}`}
          title="Take this condition away"
          onClick={() => onChoose(having.filter((other) => other !== one))}
        >
          {one} <span aria-hidden="true">✕</span>
        </Button>
      ))}
    </>
  );
}
