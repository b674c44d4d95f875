// An edge, and the runs and events that say so.
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths, shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Time } from "../../ui/Time";
import { Answer } from "../../ui/States";
import type { Graph, GraphEdge } from "./graph";
import { Panel, Part } from "./Panel";
import styles from "./Panel.module.css";

interface Props {
  edge: GraphEdge;
  graph: Graph;
  at: string;
  onClose: () => void;
  onSelect: (id: string) => void;
}

export function EvidencePanel({ edge, graph, at, onClose, onSelect }: Props) {
  const question = query.useQuery("get", "/api/v1/edges/{edge}/evidence", {
    params: { path: { edge: edge.id }, query: { limit: 50, ...(at === "" ? {} : { as_of: at }) } },
  });
  const name = (id: string) => shortName(graph.nodes.get(id)?.name ?? id);
  return (
    <Panel title={`${name(edge.from)} → ${name(edge.to)}`} over="Evidence of an edge" onClose={onClose}>
      <ul className={styles.list}>
        {[edge.from, edge.to].map((id) => (
          <li key={id}>
            <button type="button" className={styles.item} onClick={() => onSelect(id)}>
              {id}
            </button>
          </li>
        ))}
      </ul>
      {edge.byColumns && (
        <p className={styles.note}>Only the lineage of columns tells of this edge: no run names both ends.</p>
      )}
      <Answer of={question} label="Looking for evidence">
        {({ firstSeen, lastSeen, runCount, totalCount, events, horizon }) => (
          <>
            <dl className={styles.facts}>
              <dt>First seen</dt>
              <dd>
                <Time at={firstSeen} as="second" />
              </dd>
              <dt>Last seen</dt>
              <dd>
                <Time at={lastSeen} as="second" />
              </dd>
              <dt>Told by</dt>
              <dd>
                {manyText(runCount, "run")}, {manyText(totalCount, "event")}
              </dd>
              {horizon !== undefined && (
                <>
                  <dt>Kept since</dt>
                  <dd>
                    <Time at={horizon} as="second" />
                  </dd>
                </>
              )}
            </dl>
            <Part title={totalCount > events.length ? `The last ${events.length} events` : "Events"}>
              <ul className={styles.list}>
                {events.map((event) => (
                  <li key={event.id} className={styles.pair}>
                    <Link href={paths.event(event.id)}>
                      {event.eventType.toLowerCase()} <Time at={event.eventTime} as="second" />
                    </Link>
                    {event.runId !== null && <Link href={paths.run(event.runId)}>run</Link>}
                  </li>
                ))}
              </ul>
            </Part>
          </>
        )}
      </Answer>
    </Panel>
  );
}
