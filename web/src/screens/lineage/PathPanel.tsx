// Two nodes, and every way between them.
import { useMemo, useState } from "react";
import { shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { KindMark } from "../../ui/NodeName";
import { Loading } from "../../ui/States";
import { TextField } from "../../ui/Field";
import type { Between } from "./between";
import type { Graph } from "./graph";
import { matching } from "./matching";
import { Panel, Part } from "./Panel";
import styles from "./Panel.module.css";

interface Props {
  graph: Graph;
  from: string;
  to: string;
  found: Between | undefined;
  isLoading: boolean;
  onTo: (id: string) => void;
  onSelect: (id: string) => void;
  onClose: () => void;
}

const MOST = 12;

export function PathPanel({ graph, from, to, found, isLoading, onTo, onSelect, onClose }: Props) {
  const [text, setText] = useState("");
  const name = (id: string) => shortName(graph.nodes.get(id)?.name ?? id);
  const offered = useMemo(() => {
    const ids = text === "" ? graph.nodes.keys() : matching(graph.nodes.values(), text, false);
    return [...ids].filter((id) => id !== from).sort();
  }, [graph, text, from]);
  return (
    <Panel title={to === "" ? `From ${name(from)} to…` : `${name(from)} and ${name(to)}`} over="Path" onClose={onClose}>
      <TextField
        label="To"
        value={text}
        placeholder="click a node, or type"
        onChange={(event) => setText(event.target.value)}
      />
      {(to === "" || text !== "") && (
        <ul className={styles.list} aria-label="Nodes to choose">
          {offered.slice(0, MOST).map((id) => (
            <li key={id}>
              <button
                type="button"
                className={styles.item}
                onClick={() => {
                  setText("");
                  onTo(id);
                }}
              >
                <KindMark kind={id.startsWith("job:") ? "job" : "dataset"} />
                {graph.nodes.get(id)?.name ?? id}
              </button>
            </li>
          ))}
          {offered.length > MOST && <li className={styles.quiet}>{manyText(offered.length - MOST, "more node")}</li>}
          {offered.length === 0 && <li className={styles.quiet}>Nothing in this picture matches.</li>}
        </ul>
      )}
      {to !== "" &&
        (found ? (
          <>
            <p className={styles.note} role="status">
              {manyText(found.nodes.size, "node")} and {manyText(found.edges.size, "edge")} are on a path from{" "}
              {name(found.from)} to {name(found.to)}.
            </p>
            <Part title={`The shortest: ${manyText(found.shortest.length - 1, "step")}`}>
              <ol className={styles.list}>
                {found.shortest.map((id) => (
                  <li key={id}>
                    <button type="button" className={styles.item} onClick={() => onSelect(id)} title={id}>
                      <KindMark kind={id.startsWith("job:") ? "job" : "dataset"} />
                      {name(id)}
                    </button>
                  </li>
                ))}
              </ol>
            </Part>
          </>
        ) : isLoading ? (
          <Loading label="Looking for paths" />
        ) : (
          <p className={styles.note} role="status">
            No path: neither feeds the other, at any depth.
          </p>
        ))}
    </Panel>
  );
}
