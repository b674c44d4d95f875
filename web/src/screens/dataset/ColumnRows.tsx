import { Fragment } from "react";
import { type Name, nodeId, paths } from "../../model/nodes";
import { countText } from "../../model/numbers";
import { LinkButton } from "../../ui/LinkButton";
import { TagList } from "./About";
import type { ColumnRow } from "./columns";
import columnsStyles from "./columns.module.css";
import styles from "./dataset.module.css";
import { FieldLink, fieldOf, InputList, Ways } from "./FieldLinks";

interface Props {
  dataset: Name;
  columns: ColumnRow[];
  /** The path of the column whose details are open. */
  open: string | null;
  onOpen: (path: string | null) => void;
}

export function ColumnRows({ dataset, columns, open, onOpen }: Props) {
  // Where nobody has described anything, the room is for lineage.
  const described = columns.some((column) => column.description || column.tags.length > 0);
  return (
    <table className={columnsStyles.columns} aria-label="Columns">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Type</th>
          <th scope="col">Made from</th>
          <th scope="col" data-align="right">
            Feeds
          </th>
          {described && <th scope="col">Description</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map((column, index) => {
          const isOpen = column.path === open;
          return (
            <Fragment key={`${index} ${column.path}`}>
              <tr data-open={isOpen}>
                <th scope="row" style={{ paddingLeft: `calc(var(--space-4) + ${column.depth} * var(--space-4))` }}>
                  <button
                    type="button"
                    className={styles.opener}
                    aria-expanded={isOpen}
                    title={column.path}
                    onClick={() => onOpen(isOpen ? null : column.path)}
                  >
                    <span className={styles.chevron} aria-hidden="true" />
                    {column.name}
                  </button>
                </th>
                <td className="mono">
                  {column.type ?? (column.inSchema ? "" : <span className={styles.quiet}>not in the schema</span>)}
                </td>
                <td>
                  <MadeFrom column={column} />
                </td>
                <td data-align="right">{column.feeds.length > 0 && countText(column.feeds.length)}</td>
                {described && (
                  <td>
                    <Said column={column} />
                  </td>
                )}
              </tr>
              {isOpen && (
                <tr className={columnsStyles.details}>
                  <td colSpan={described ? 5 : 4}>
                    <Details dataset={dataset} column={column} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

const SHOWN = 2;

function MadeFrom({ column }: { column: ColumnRow }) {
  const { inputs } = column;
  return (
    <span className={columnsStyles.madeFrom}>
      {inputs.slice(0, SHOWN).map((input) => (
        <span key={`${input.namespace} ${input.dataset} ${input.field}`}>
          <FieldLink of={fieldOf(input)} /> <Ways of={input} />
        </span>
      ))}
      {inputs.length > SHOWN && <span className={styles.quiet}>and {inputs.length - SHOWN} more</span>}
    </span>
  );
}

function Said({ column }: { column: ColumnRow }) {
  return (
    <>
      {column.tags.length > 0 && <TagList tags={column.tags} />}
      {column.description && <span className={styles.said}>{column.description}</span>}
    </>
  );
}

function Details({ dataset, column }: { dataset: Name; column: ColumnRow }) {
  const field = `datasetField:${dataset.namespace}:${dataset.name}:${column.path}`;
  return (
    <div className={columnsStyles.detail}>
      <section>
        <h3>Made from</h3>
        {column.inputs.length > 0 ? (
          <InputList inputs={column.inputs} />
        ) : (
          <p className={styles.quiet}>
            Nobody tells what it is made from: it may be a source, or its writer tells of no columns.
          </p>
        )}
      </section>
      <section>
        <h3>Feeds</h3>
        {column.feeds.length > 0 ? (
          <ul className={columnsStyles.inputs}>
            {column.feeds.map((one) => (
              <li key={`${one.namespace} ${one.name} ${one.field}`}>
                <FieldLink of={one} />
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.quiet}>No column that is known of.</p>
        )}
      </section>
      <div className={columnsStyles.ways}>
        <LinkButton href={paths.lineage(nodeId("dataset", dataset), { columns: "1", column: column.path })}>
          Trace in the graph
        </LinkButton>
        <LinkButton href={paths.impact(field)}>Impact of this column</LinkButton>
      </div>
    </div>
  );
}
