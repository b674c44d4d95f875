import { useId, useState } from "react";
import { useLocation } from "wouter";
import { query } from "../../api/client";
import { paths } from "../../model/nodes";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorNote } from "../../ui/States";
import type { Offer, Parameter } from "./offers";
import { firstValues, given, isFromEnvironment, newKey, unfit, type Values } from "./parameters";
import styles from "./Pipelines.module.css";

interface Props {
  offer: Offer;
  /** Of a run that is to be done again. */
  before?: Values;
  onClose: () => void;
}

/** A form from the definition's parameters. Sent twice, it is still one run. */
export function Start({ offer, before, onClose }: Props) {
  const [values, setValues] = useState(() => firstValues(offer, before));
  const [stage, setStage] = useState("");
  const [key] = useState(newKey);
  const [tried, setTried] = useState(false);
  const id = useId();
  const [, navigate] = useLocation();
  const start = query.useMutation("post", "/api/v1/pipeline/run", {
    onSuccess: (run) => {
      onClose();
      navigate(paths.pipelineRun(run.run_id));
    },
  });
  const parameters = offer.parameters ?? [];
  const faults = parameters.map((one) => unfit(one, values[one.name] ?? ""));
  const onSubmit = (event: React.FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (faults.some((one) => one !== undefined)) return;
    start.mutate({
      params: { header: { "idempotency-key": key } },
      body: { pipeline: offer.name, parameters: given(offer, values), ...(stage ? { from_stage: stage } : {}) },
    });
  };
  return (
    <Dialog title={`Start ${offer.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={onSubmit} noValidate>
        {offer.description && <p className={styles.description}>{offer.description}</p>}
        {parameters.length === 0 && <p className={styles.description}>It has no parameters.</p>}
        {parameters.map((one, at) => (
          <ParameterField
            key={one.name}
            of={one}
            value={values[one.name] ?? ""}
            fault={tried ? faults[at] : undefined}
            onChange={(value) => setValues({ ...values, [one.name]: value })}
          />
        ))}
        {(offer.stages ?? []).length > 1 && (
          <div className={styles.field}>
            <label htmlFor={id}>Begin with</label>
            <select id={id} value={stage} onChange={(event) => setStage(event.target.value)}>
              <option value="">all stages</option>
              {(offer.stages ?? []).map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name} and what follows
                </option>
              ))}
            </select>
          </div>
        )}
        {start.error != null && <ErrorNote error={start.error} />}
        <div className={styles.buttons}>
          <Button look="main" type="submit" disabled={start.isPending}>
            {start.isPending ? "Starting…" : "Start the run"}
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  of: Parameter;
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

function ParameterField({ of, value, fault, onChange }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    "aria-invalid": fault !== undefined,
    "aria-describedby": `${id}-about`,
    required: of.default == null,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) => onChange(event.target.value),
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {of.name}
        {of.default == null && <span className={styles.needed}> needed</span>}
      </label>
      {of.choices ? (
        <select {...shared}>
          {of.default == null && <option value="">choose</option>}
          {of.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type={of.type === "date" ? "date" : "text"}
          inputMode={of.type === "number" ? "decimal" : undefined}
          placeholder={isFromEnvironment(of) ? (of.default ?? "") : undefined}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <p id={`${id}-about`} className={styles.hint}>
        {fault !== undefined && <span className={styles.fault}>{fault} </span>}
        {of.description}
        {of.pattern != null && (
          <>
            {" "}
            Matches <code>{of.pattern}</code>.
          </>
        )}
      </p>
    </div>
  );
}
