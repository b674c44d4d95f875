// What differs between two moments, as a list with counts.
import { shortName } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { secondText, millis } from "../../model/times";
import { ErrorNote, Loading } from "../../ui/States";
import type { Graph } from "./graph";
import { type Changes, type Mark, schemaText, SIGNS } from "./marks";
import { Panel, Part } from "./Panel";
import styles from "./Panel.module.css";

interface Props {
  changes: Changes | undefined;
  /** What the picture shows; what is gone may be missing. */
  graph: Graph | undefined;
  error: unknown;
  from: string;
  at: string;
  onSelect: (id: string) => void;
  onClose: () => void;
}

const MOST = 200;

export function ComparePanel({ changes, graph, error, from, at, onSelect, onClose }: Props) {
  const over = `${secondText(millis(from))} to ${at === "" ? "now" : secondText(millis(at))}`;
  return (
    <Panel title="Changes" over={over} onClose={onClose}>
      {error ? (
        <ErrorNote error={error} />
      ) : changes ? (
        <List changes={changes} graph={graph} onSelect={onSelect} />
      ) : (
        <Loading label="Comparing" />
      )}
    </Panel>
  );
}

function List({ changes, graph, onSelect }: Pick<Props, "graph" | "onSelect"> & { changes: Changes }) {
  const nodes = [...changes.nodes].sort();
  const edges = [...changes.edges].sort();
  const total = nodes.length + edges.length + changes.columns.length;
  if (total === 0)
    return <p className={styles.note}>Nothing changed between these moments, as far as this picture shows.</p>;
  return (
    <>
      <p className={styles.note} role="status">
        {(["added", "removed", "changed"] as const)
          .map((mark) => `${countText(changes.counts[mark])} ${mark}`)
          .join(", ")}
      </p>
      {nodes.length > 0 && (
        <Part title={manyText(nodes.length, "node")}>
          <ul className={styles.list}>
            {nodes.slice(0, MOST).map(([id, mark]) => (
              <li key={id}>
                <button type="button" className={styles.item} title={id} onClick={() => onSelect(id)}>
                  <Sign mark={mark} />
                  <Named id={id} graph={graph} />
                </button>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {changes.schemas.length > 0 && (
        <Part title={manyText(changes.schemas.length, "schema")}>
          <ul className={styles.list}>
            {changes.schemas.slice(0, MOST).map((schema) => (
              <li key={schema.dataset}>
                <Named id={schema.dataset} graph={graph} />
                <div className={styles.quiet}>{schemaText(schema)}</div>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {edges.length > 0 && (
        <Arrows
          title="edge"
          arrows={edges.map(([key, mark]) => ({ mark, key, ends: key.split("\n").map((id) => shortOf(id, graph)) }))}
        />
      )}
      {changes.columns.length > 0 && (
        <Arrows
          title="column edge"
          arrows={changes.columns.map(({ mark, from, to }) => ({ mark, key: `${from}\n${to}`, ends: [from, to] }))}
        />
      )}
    </>
  );
}

/** By its last part, with all of it below: most names of a picture begin alike. */
function Named({ id, graph }: { id: string; graph: Graph | undefined }) {
  const node = graph?.nodes.get(id);
  if (!node) return <span>{id}</span>;
  return (
    <span className={styles.named}>
      {shortName(node.name)} <span className={styles.quiet}>{node.kind}</span>
      <span className={styles.where}>
        {node.namespace} {node.name}
      </span>
    </span>
  );
}

function shortOf(id: string, graph: Graph | undefined): string {
  const node = graph?.nodes.get(id);
  return node ? shortName(node.name) : id;
}

function Arrows({ title, arrows }: { title: string; arrows: { mark: Mark; key: string; ends: string[] }[] }) {
  return (
    <Part title={manyText(arrows.length, title)}>
      <ul className={styles.list}>
        {arrows.slice(0, MOST).map(({ mark, key, ends }) => (
          <li key={key} className={styles.pair}>
            <Sign mark={mark} />
            <span title={key}>{ends.join(" → ")}</span>
          </li>
        ))}
      </ul>
      {arrows.length > MOST && <p className={styles.quiet}>{countText(arrows.length - MOST)} more</p>}
    </Part>
  );
}

function Sign({ mark }: { mark: Mark }) {
  return (
    <span className={styles.sign} data-mark={mark} title={mark}>
      <span aria-hidden="true">{SIGNS[mark]}</span>
      <span className="visually-hidden">{mark}</span>
    </span>
  );
}
