// A column's way: what feeds it and what it feeds, with the kind of transformation of each step.
import { Link } from "wouter";
import { paths, shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { type Closure, type Column, type ColumnEdge, type ColumnGraph, howText } from "./columns";
import { Panel, Part } from "./Panel";
import styles from "./Panel.module.css";

interface Props {
  closure: Closure;
  columns: ColumnGraph;
  isPinned: boolean;
  directOnly: boolean;
  onDirectOnly: (directOnly: boolean) => void;
  onPin: (column: string) => void;
  onClose: () => void;
}

const MOST = 100;

function nameOf(column: Column | undefined, id: string): string {
  if (!column) return id;
  const dataset = shortName(column.of);
  return column.field === null ? `${dataset} (rows)` : `${dataset}.${column.field}`;
}

export function ColumnPanel({ closure, columns, isPinned, directOnly, onDirectOnly, onPin, onClose }: Props) {
  const column = columns.columns.get(closure.start);
  const edgesOf = (ids: Set<string>, side: "into" | "outOf") =>
    [closure.start, ...ids].flatMap((id) => columns[side].get(id) ?? []).filter((edge) => closure.edges.has(edge.key));
  const field = column?.field ?? closure.start.slice(closure.start.lastIndexOf(":") + 1);
  return (
    <Panel
      title={field}
      over={`Column of ${column ? column.of : "a dataset"}`}
      onClose={isPinned ? onClose : undefined}
    >
      <div className={styles.buttons}>
        <Button pressed={directOnly} onClick={() => onDirectOnly(!directOnly)}>
          Values only
        </Button>
        {isPinned && <Link href={paths.impact(closure.start)}>Impact of this column</Link>}
      </div>
      {closure.up.size + closure.down.size === 0 && (
        <p className={styles.note}>No lineage of columns is told for this one.</p>
      )}
      <Steps title="Made from" edges={edgesOf(closure.up, "into")} end="from" columns={columns} onPin={onPin} />
      <Steps title="Goes into" edges={edgesOf(closure.down, "outOf")} end="to" columns={columns} onPin={onPin} />
    </Panel>
  );
}

interface StepsProps {
  title: string;
  edges: ColumnEdge[];
  /** The end that the step leads to. */
  end: "from" | "to";
  columns: ColumnGraph;
  onPin: (column: string) => void;
}

function Steps({ title, edges, end, columns, onPin }: StepsProps) {
  if (edges.length === 0) return null;
  return (
    <Part title={`${title}: ${manyText(edges.length, "step")}`}>
      <ul className={styles.list}>
        {edges.slice(0, MOST).map((edge) => (
          <li key={edge.key}>
            <button
              type="button"
              className={styles.item}
              onClick={() => onPin(edge[end])}
              title={`${edge.from} → ${edge.to}`}
            >
              {nameOf(columns.columns.get(edge.from), edge.from)} → {nameOf(columns.columns.get(edge.to), edge.to)}
            </button>
            <div className={styles.quiet}>
              {edge.how.length === 0 && "how is not told"}
              {edge.how.map((how, at) => (
                <div key={at}>
                  {howText(how)}
                  {how.description && `: ${how.description}`}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {edges.length > MOST && <p className={styles.quiet}>{manyText(edges.length - MOST, "more step")}</p>}
    </Part>
  );
}
