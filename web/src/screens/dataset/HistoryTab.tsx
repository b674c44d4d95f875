import { useState } from "react";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { marksOf, mayBreak, type Mark, SIGNS, summaryOf, WORDS } from "../../model/schema-diff";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { Time } from "../../ui/Time";
import { pathOf } from "./dataset-path";
import styles from "./dataset.module.css";
import historyStyles from "./history.module.css";
import { ToldBy } from "./ToldBy";
import { Versions } from "./Versions";

const CHANGES = 50;

export function HistoryTab({ of }: { of: Name }) {
  const [most, setMost] = useState(CHANGES);
  const history = query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/schema-history", {
    params: { path: pathOf(of), query: { limit: most } },
  });
  return (
    <>
      <Section title="Schema over time" note={history.data && manyText(history.data.totalCount, "change")}>
        <Answer of={history}>
          {({ changes, totalCount, horizon }) =>
            changes.length === 0 ? (
              <Empty>No event has told of a schema.</Empty>
            ) : (
              <>
                <ol className={historyStyles.timeline} aria-label="Changes of the schema, the last first">
                  {changes.map((change) => (
                    <Change key={change.event} change={change} />
                  ))}
                </ol>
                {changes.length < totalCount && (
                  <Button onClick={() => setMost(most + CHANGES * 4)}>
                    Show earlier changes ({countText(totalCount - changes.length)})
                  </Button>
                )}
                {horizon && (
                  <p className={styles.quiet}>
                    Events before <Time at={horizon} /> are no longer kept: earlier changes may be missing.
                  </p>
                )}
              </>
            )
          }
        </Answer>
      </Section>
      <Versions of={of} />
    </>
  );
}

const TITLES: Record<Schemas["SchemaChange"]["kind"], string> = {
  first: "First schema",
  changed: "Changed",
  "taken back": "Taken back",
};
const SHOWN = 8;

function Change({ change }: { change: Schemas["SchemaChange"] }) {
  const [all, setAll] = useState(false);
  const marks = marksOf(change);
  const isFirst = change.kind === "first";
  const shown = all ? marks : marks.slice(0, SHOWN);
  return (
    <li className={historyStyles.change}>
      <header>
        <h3>
          <Time at={change.at} as="second" />
        </h3>
        <ToldBy job={change.job} run={change.run} event={change.event} />
        <span className={styles.quiet}>
          {TITLES[change.kind]}
          {isFirst
            ? `: ${manyText(change.columns, "column")}`
            : `: ${summaryOf(marks)}; ${manyText(change.columns, "column")} now`}
        </span>
        {!isFirst && mayBreak(marks) && <Badge tone="warn">may break readers</Badge>}
      </header>
      <ul className={historyStyles.marks}>
        {shown.map((mark) => (
          <MarkLine key={`${mark.kind} ${mark.column}`} mark={mark} />
        ))}
      </ul>
      {marks.length > shown.length && (
        <Button look="bare" onClick={() => setAll(true)}>
          {marks.length - shown.length} more
        </Button>
      )}
    </li>
  );
}

function MarkLine({ mark }: { mark: Mark }) {
  return (
    <li data-mark={mark.kind}>
      <span className={historyStyles.sign} title={WORDS[mark.kind]}>
        <span aria-hidden="true">{SIGNS[mark.kind]}</span>
        <span className="visually-hidden">{WORDS[mark.kind]}</span>
      </span>
      <span className="mono">
        <MarkText mark={mark} />
      </span>
    </li>
  );
}

function MarkText({ mark: { kind, column, before, after, because = [] } }: { mark: Mark }) {
  switch (kind) {
    case "added":
    case "removed":
      return (
        <>
          {column} <i>{after ?? before}</i>
        </>
      );
    case "changed":
      return (
        <>
          {column}{" "}
          <i>
            <s>{before ?? "no type"}</s> {after ?? "no type"}
          </i>
        </>
      );
    case "renamed":
      return (
        <>
          <s>{before}</s> {after} <i>likely the same column: same {because.join(" and ")}</i>
        </>
      );
    case "moved":
      return (
        <>
          {column}{" "}
          <i>
            from place {before} to {after}
          </i>
        </>
      );
    case "described":
      return (
        <>
          {column} <i>has another description</i>
        </>
      );
  }
}
