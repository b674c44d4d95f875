// The same graph as two tables, for who can't see the picture or has no room for it.
import { useMemo } from "react";
import { shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Badge as BadgeMark } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { wordsOf } from "./badges";
import type { Graph, GraphEdge, GraphNode } from "./graph";
import { type Changes, SIGNS } from "./marks";
import type { Badge } from "./questions";
import styles from "./ListView.module.css";

interface Props {
  graph: Graph;
  shown: ReadonlySet<string>;
  matches: ReadonlySet<string> | undefined;
  changes: Changes | undefined;
  badges: ReadonlyMap<string, Badge>;
  onSelect: (id: string) => void;
  onEdge: (key: string) => void;
}

export function ListView({ graph, shown, matches, changes, badges, onSelect, onEdge }: Props) {
  const nodes = useMemo(
    () =>
      [...shown]
        .filter((id) => !matches || matches.has(id))
        .flatMap((id) => graph.nodes.get(id) ?? [])
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    [graph, shown, matches],
  );
  const edges = useMemo(() => {
    const named = new Set(nodes.map((node) => node.id));
    return [...graph.edges.values()]
      .filter(({ from, to }) => shown.has(from) && shown.has(to) && (named.has(from) || named.has(to)))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }, [graph, shown, nodes]);
  const nodeColumns: Column<GraphNode>[] = [
    {
      key: "name",
      title: "Name",
      width: "minmax(0, 2fr)",
      cell: (node) => (
        <>
          {changes?.nodes.has(node.id) && <b>{SIGNS[changes.nodes.get(node.id) ?? "changed"]} </b>}
          <NodeName kind={node.kind} of={node} />
          <span className={styles.where}>{shortName(node.name) === node.name ? node.namespace : node.name}</span>
        </>
      ),
    },
    {
      key: "state",
      title: "State",
      cell: (node) =>
        wordsOf(node, badges.get(node.id)).map(({ text, tone }) => (
          <BadgeMark key={text} tone={tone}>
            {text}
          </BadgeMark>
        )),
    },
    { key: "in", title: "From", align: "right", width: "48px", cell: (node) => graph.into.get(node.id)?.size ?? 0 },
    { key: "out", title: "To", align: "right", width: "48px", cell: (node) => graph.outOf.get(node.id)?.size ?? 0 },
    {
      key: "details",
      title: <span className="visually-hidden">Details</span>,
      width: "72px",
      cell: (node) => (
        <Button look="bare" aria-label={`Details of ${node.name}`} onClick={() => onSelect(node.id)}>
          Details
        </Button>
      ),
    },
  ];
  const edgeColumns: Column<GraphEdge>[] = [
    { key: "from", title: "From", cell: (edge) => <End graph={graph} id={edge.from} /> },
    { key: "to", title: "To", cell: (edge) => <End graph={graph} id={edge.to} /> },
    {
      key: "how",
      title: "Told by",
      width: "88px",
      cell: (edge) => {
        const mark = changes?.edges.get(edge.key);
        return mark ? `${SIGNS[mark]} ${mark}` : edge.byColumns ? "columns" : "runs";
      },
    },
    {
      key: "evidence",
      title: <span className="visually-hidden">Evidence</span>,
      width: "84px",
      cell: (edge) => (
        <Button look="bare" aria-label={`Evidence of ${edge.from} to ${edge.to}`} onClick={() => onEdge(edge.key)}>
          Evidence
        </Button>
      ),
    },
  ];
  return (
    <div className={styles.lists}>
      <Section title="Nodes" note={manyText(nodes.length, "node")} flush>
        <Table
          label="Nodes"
          columns={nodeColumns}
          rows={nodes}
          keyOf={(node) => node.id}
          height="50vh"
          tall
          empty="Nothing matches."
        />
      </Section>
      <Section title="Edges" note={manyText(edges.length, "edge")} flush>
        <Table
          label="Edges"
          columns={edgeColumns}
          rows={edges}
          keyOf={(edge) => edge.key}
          height="50vh"
          empty="No edges."
        />
      </Section>
    </div>
  );
}

function End({ graph, id }: { graph: Graph; id: string }) {
  const node = graph.nodes.get(id);
  return node ? <NodeName kind={node.kind} of={node} /> : <>{id}</>;
}
