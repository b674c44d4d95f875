import { Link } from "wouter";
import { paths, shortName } from "../../model/nodes";
import { type FieldName, type Input, isDirect, waysOf } from "./columns";
import columnsStyles from "./columns.module.css";
import styles from "./dataset.module.css";

function columnPath(of: FieldName): string {
  const at = paths.dataset(of);
  return of.field ? `${at}?${new URLSearchParams({ column: of.field })}` : at;
}

/** `orders.amount`, with the whole name when hovered; of a whole dataset its rows. */
export function FieldLink({ of }: { of: FieldName }) {
  return (
    <Link
      className={columnsStyles.field}
      href={columnPath(of)}
      title={`${of.namespace}\n${of.name}${of.field ? `\n${of.field}` : ""}`}
    >
      <span className={styles.quiet}>{shortName(of.name)}</span>
      {of.field ? `.${of.field}` : " (its rows)"}
    </Link>
  );
}

export function fieldOf({ namespace, dataset, field }: Input): FieldName {
  return { namespace, name: dataset, field: field ?? "" };
}

export function Ways({ of }: { of: Input }) {
  const ways = waysOf(of);
  if (ways.length === 0) return null;
  return (
    <span className={columnsStyles.way} data-direct={isDirect(of)}>
      {ways.join(", ")}
      {!isDirect(of) && " (indirect)"}
    </span>
  );
}

/** Each source with how it is used, and in the producer's words. */
export function InputList({ inputs }: { inputs: Input[] }) {
  return (
    <ul className={columnsStyles.inputs}>
      {inputs.map((input) => {
        const words = [
          ...new Set([input.transformationDescription, ...input.transformations.map((one) => one.description)]),
        ];
        return (
          <li key={`${input.namespace} ${input.dataset} ${input.field}`}>
            <FieldLink of={fieldOf(input)} /> <Ways of={input} />
            {words.filter(Boolean).map((text) => (
              <p key={text} className={styles.said}>
                {text}
              </p>
            ))}
          </li>
        );
      })}
    </ul>
  );
}
