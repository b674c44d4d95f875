// The chosen node: what it is, how it is, what is joined to it, and where to go from here.
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths, shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Badge, StateBadge, Tag } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { KindMark } from "../../ui/NodeName";
import { Time } from "../../ui/Time";
import { wordsOf } from "./badges";
import { type Direction, edgeKey, type Graph, type GraphNode } from "./graph";
import { Panel, Part } from "./Panel";
import type { Badge as NodeBadge } from "./questions";
import styles from "./Panel.module.css";

interface Props {
  node: GraphNode;
  graph: Graph;
  at: string;
  badge: NodeBadge | undefined;
  isStart: boolean;
  onClose: () => void;
  onStart: () => void;
  onPath: () => void;
  onExpand: (direction: Direction) => void;
  onSelect: (id: string) => void;
  onEdge: (key: string) => void;
}

function useOwners({ kind, namespace, name }: GraphNode, at: string) {
  const moment = at === "" ? {} : { as_of: at };
  const dataset = useQuery({
    ...query.queryOptions("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}", {
      params: { path: { namespace, dataset: name }, query: moment },
    }),
    enabled: kind === "dataset",
  });
  const job = useQuery({
    ...query.queryOptions("get", "/api/v1/namespaces/{namespace}/jobs/{job}", {
      params: { path: { namespace, job: name }, query: moment },
    }),
    enabled: kind === "job",
  });
  const found = kind === "dataset" ? dataset.data : job.data;
  return { owners: found?.owners ?? [], tags: found?.tags ?? [], description: found?.description ?? null };
}

export function DetailsPanel(props: Props) {
  const { node, graph, at, badge, isStart, onClose, onStart, onPath, onExpand } = props;
  const { owners, tags, description } = useOwners(node, at);
  const page = node.kind === "dataset" ? paths.dataset(node) : paths.job(node);
  const words = wordsOf(node, badge);
  return (
    <Panel
      title={shortName(node.name)}
      over={
        <>
          <KindMark kind={node.kind} /> {node.kind}
        </>
      }
      onClose={onClose}
    >
      <div className={styles.links}>
        <Link href={page}>Open {node.kind}</Link>
        <Link href={paths.impact(node.id)}>Impact</Link>
        {node.run && <Link href={paths.run(node.run.id)}>Last run</Link>}
      </div>
      {description && <p className={styles.note}>{description}</p>}
      <dl className={styles.facts}>
        <dt>Name</dt>
        <dd>{node.name}</dd>
        <dt>Namespace</dt>
        <dd>{node.namespace}</dd>
        {node.kind === "job" && (
          <>
            <dt>Last run</dt>
            <dd>
              <StateBadge state={node.run?.state} /> <Time at={node.run?.endedAt} as="ago" />
            </dd>
          </>
        )}
        {node.kind === "dataset" && badge?.type === "DATASET" && (
          <>
            <dt>Freshness</dt>
            <dd>
              <StateBadge state={badge.freshness} />
            </dd>
            <dt>Quality</dt>
            <dd>
              {badge.failing + badge.passing === 0 ? (
                "no checks"
              ) : (
                <Badge tone={badge.failing > 0 ? "bad" : "ok"}>
                  {badge.failing > 0
                    ? `${badge.failing} of ${badge.failing + badge.passing} failing`
                    : `${badge.passing} passing`}
                </Badge>
              )}
            </dd>
          </>
        )}
        {words.some((word) => word.text === "dropped") && (
          <>
            <dt>State</dt>
            <dd>dropped</dd>
          </>
        )}
        <dt>Owner</dt>
        <dd>{owners.length > 0 ? owners.map((owner) => owner.name).join(", ") : "–"}</dd>
        <dt>Tags</dt>
        <dd className={styles.tags}>{tags.length > 0 ? tags.map((tag) => <Tag key={tag}>{tag}</Tag>) : "–"}</dd>
        <dt>Updated</dt>
        <dd>
          <Time at={node.updatedAt} as="ago" />
        </dd>
        {node.kind === "dataset" && (
          <>
            <dt>Columns</dt>
            <dd>{node.fields.length > 0 ? node.fields.length : "not told"}</dd>
          </>
        )}
      </dl>
      <div className={styles.buttons}>
        {!isStart && <Button onClick={onStart}>Start here</Button>}
        <Button onClick={onPath}>Path to…</Button>
        <Button onClick={() => onExpand("upstream")}>More upstream</Button>
        <Button onClick={() => onExpand("downstream")}>More downstream</Button>
      </div>
      <Neighbours
        {...props}
        title={node.kind === "dataset" ? "Written by" : "Reads"}
        ids={graph.into.get(node.id)}
        isInto
      />
      <Neighbours {...props} title={node.kind === "dataset" ? "Read by" : "Writes"} ids={graph.outOf.get(node.id)} />
    </Panel>
  );
}

const MOST = 50;

interface NeighboursProps extends Props {
  title: string;
  ids: Set<string> | undefined;
  isInto?: boolean;
}

/** With the evidence of each edge: lines in the picture can't be reached by keys. */
function Neighbours({ title, ids, isInto = false, node, graph, onSelect, onEdge }: NeighboursProps) {
  const all = [...(ids ?? [])].sort();
  if (all.length === 0) return null;
  return (
    <Part title={`${title} ${manyText(all.length, node.kind === "dataset" ? "job" : "dataset")}`}>
      <ul className={styles.list}>
        {all.slice(0, MOST).map((id) => {
          const other = graph.nodes.get(id);
          const name = other ? shortName(other.name) : id;
          return (
            <li key={id} className={styles.pair}>
              <button type="button" className={styles.item} title={id} onClick={() => onSelect(id)}>
                {name}
              </button>
              <Button
                look="bare"
                aria-label={`Evidence of the edge ${isInto ? "from" : "to"} ${name}`}
                onClick={() => onEdge(isInto ? edgeKey(id, node.id) : edgeKey(node.id, id))}
              >
                Evidence
              </Button>
            </li>
          );
        })}
      </ul>
      {all.length > MOST && <p className={styles.quiet}>{all.length - MOST} more</p>}
    </Part>
  );
}
