import { Link } from "wouter";
import { paths } from "../../model/nodes";
import { durationText } from "../../model/times";
import { Tag } from "../../ui/Badge";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { Time } from "../../ui/Time";
import { changeText, type Overview } from "./overview";
import styles from "./Home.module.css";

interface Part<Item> {
  count: number;
  items: Item[];
  truncated: boolean;
}

/** What needs a look, and what changed; what there is nothing of isn't there. */
export function Lists({ told }: { told: Overview }) {
  const parts = [
    <List key="failed" id="failed" title="Failed runs" of={told.failedRuns} keyOf={(one) => one.run}>
      {(one) => (
        <Item
          name={<NodeName kind="job" of={one.job} />}
          at={<Time at={one.failedAt} as="ago" />}
          more={
            <>
              <span className={styles.error}>{one.error ?? "It failed without a word."}</span>
              <Link href={paths.run(one.run)} aria-label={`Why the run of ${one.job.name} failed`}>
                why
              </Link>
            </>
          }
        />
      )}
    </List>,
    <List
      key="late"
      id="late"
      title="Late datasets"
      of={told.lateDatasets}
      keyOf={(one) => `${one.dataset.namespace}\n${one.dataset.name}`}
    >
      {(one) => (
        <Item
          name={<NodeName kind="dataset" of={one.dataset} />}
          at={`${durationText(one.lateS * 1000)} late`}
          more={
            <span>
              was due <Time at={one.dueAt} />
              {one.learned && ", by its habit"}
            </span>
          }
        />
      )}
    </List>,
    <List
      key="checks"
      id="checks"
      title="Failing checks"
      of={told.failingChecks}
      keyOf={(one, at) => `${at} ${one.assertion} ${one.column ?? ""}`}
    >
      {(one) => (
        <Item
          name={<NodeName kind="dataset" of={one.dataset} />}
          at={
            <>
              since <Time at={one.failingSince} as="ago" />
            </>
          }
          more={
            <span>
              {one.assertion}
              {one.column != null && (
                <>
                  {" "}
                  of <code>{one.column}</code>
                </>
              )}
            </span>
          }
        />
      )}
    </List>,
    <List
      key="schemas"
      id="schemas"
      title="Schema changes"
      of={told.schemaChanges}
      keyOf={(one, at) => `${at} ${one.at}`}
    >
      {(one) => (
        <Item
          name={<NodeName kind="dataset" of={one.dataset} />}
          at={<Time at={one.at} as="ago" />}
          more={
            <span>
              {changeText(one) || "changed"} {one.kind === "taken back" && <Tag>taken back</Tag>}
            </span>
          }
        />
      )}
    </List>,
    <List key="silent" id="silent" title="Silent producers" of={told.silentProducers} keyOf={(one) => one.producer}>
      {(one) => (
        <Item
          name={
            <span title={one.producer}>{[one.integration ?? one.producer, one.version].filter(Boolean).join(" ")}</span>
          }
          at={`${durationText(one.silentForS * 1000)} silent`}
          more={
            <span>
              usually {durationText(one.usualGapS * 1000)} at most, last heard <Time at={one.lastEventAt} />
            </span>
          }
        />
      )}
    </List>,
  ];
  const counts = [told.failedRuns, told.lateDatasets, told.failingChecks, told.schemaChanges, told.silentProducers].map(
    (one) => one.count,
  );
  const shown = parts.filter((_, at) => (counts[at] ?? 0) > 0);
  return <>{shown}</>;
}

interface ListProps<One> {
  id: string;
  title: string;
  of: Part<One>;
  keyOf: (item: One, at: number) => string;
  children: (item: One) => React.ReactNode;
}

function List<One>({ id, title, of, keyOf, children }: ListProps<One>) {
  const all = `${of.truncated ? "at least " : ""}${of.count}`;
  return (
    <div id={id} className={styles.part}>
      <Section
        title={title}
        note={of.items.length < of.count || of.truncated ? `the latest ${of.items.length} of ${all}` : all}
        flush
      >
        <ul aria-label={title}>
          {of.items.map((item, at) => (
            <li key={keyOf(item, at)}>{children(item)}</li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Item({ name, at, more }: { name: React.ReactNode; at: React.ReactNode; more: React.ReactNode }) {
  return (
    <div className={styles.item}>
      <div className={styles.name}>{name}</div>
      <div className={styles.at}>{at}</div>
      <div className={styles.more}>{more}</div>
    </div>
  );
}
