// Which of the panels stands beside the picture: of what is pointed at, else of what was chosen last.
import { useMemo } from "react";
import { startAt, type View } from "./address";
import type { Actions } from "./actions";
import { type Closure, closureOf } from "./columns";
import { ColumnPanel } from "./ColumnPanel";
import { ComparePanel } from "./ComparePanel";
import { DetailsPanel } from "./DetailsPanel";
import { EvidencePanel } from "./EvidencePanel";
import { Panel } from "./Panel";
import { PathPanel } from "./PathPanel";
import type { Badge } from "./questions";
import type { Picture } from "./usePicture";
import type { Change } from "./useView";
import styles from "./Panel.module.css";

interface Props {
  view: View;
  change: Change;
  picture: Picture;
  actions: Actions;
  badges: ReadonlyMap<string, Badge>;
  hovered: string;
  pinned: Closure | undefined;
  isLoading: boolean;
}

export function SidePanel({ view, change, picture, actions, badges, hovered, pinned, isLoading }: Props) {
  const { graph, columns } = picture;
  const pointed = useMemo(
    () => (hovered === "" ? undefined : closureOf(columns, hovered, view.directOnly)),
    [hovered, columns, view.directOnly],
  );
  const closure = pointed ?? (view.edge === "" && view.selected === "" ? pinned : undefined);
  const edge = graph.edges.get(view.edge);
  const node = graph.nodes.get(view.selected);
  if (closure) {
    return (
      <ColumnPanel
        closure={closure}
        columns={columns}
        isPinned={closure === pinned}
        directOnly={view.directOnly}
        onDirectOnly={(directOnly) => change({ directOnly })}
        onPin={actions.pin}
        onClose={() => change({ column: "" })}
      />
    );
  }
  if (edge) {
    const close = () => change({ edge: "" });
    const at = graph.nodes.has(edge.from) && picture.changes?.edges.get(edge.key) === "removed" ? view.from : view.at;
    return <EvidencePanel edge={edge} graph={graph} at={at} onClose={close} onSelect={actions.select} />;
  }
  if (view.path !== "" && view.to === "") return pathPanel();
  if (node) {
    return (
      <DetailsPanel
        node={node}
        graph={graph}
        at={picture.changes?.nodes.get(node.id) === "removed" ? view.from : view.at}
        badge={badges.get(node.id)}
        isStart={node.id === picture.start}
        onClose={() => change({ selected: "" })}
        onStart={() => change((now) => startAt(now, node.id), "push")}
        onPath={() => change({ path: node.id, to: "" })}
        onExpand={(direction) => actions.expand(direction, node.id)}
        onSelect={actions.select}
        onEdge={(key) => change({ edge: key })}
      />
    );
  }
  if (view.path !== "") return pathPanel();
  if (view.from !== "") {
    return (
      <ComparePanel
        changes={picture.changes}
        graph={picture.graph}
        error={picture.changesError}
        from={view.from}
        at={view.at}
        onSelect={actions.select}
        onClose={() => change({ from: "" })}
      />
    );
  }
  if (view.columns) {
    return (
      <Panel title="Columns" onClose={() => change({ columns: false })}>
        <p className={styles.note}>
          Point at a column: all that feeds it and all that it feeds lights up. Click it to keep it lit.
        </p>
        {columns.edges.size === 0 && !isLoading && (
          <p className={styles.note}>No producer tells the lineage of columns here.</p>
        )}
      </Panel>
    );
  }
  return null;

  function pathPanel() {
    return (
      <PathPanel
        graph={graph}
        from={view.path}
        to={view.to}
        found={picture.found}
        isLoading={isLoading}
        onTo={(to) => change({ to, selected: "" })}
        onSelect={actions.select}
        onClose={() => change({ path: "", to: "" })}
      />
    );
  }
}
