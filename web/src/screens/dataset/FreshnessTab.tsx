import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { type Name, paths } from "../../model/nodes";
import { percentText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeName } from "../../ui/NodeName";
import { Facts, Section } from "../../ui/Section";
import { Answer, ErrorNote } from "../../ui/States";
import { Time } from "../../ui/Time";
import { pathOf } from "./dataset-path";
import columnsStyles from "./columns.module.css";
import styles from "./dataset.module.css";
import freshnessStyles from "./freshness.module.css";
import { expectationText, habitText } from "./expectation";
import { ExpectationForm } from "./ExpectationForm";
import { useFreshness } from "./Standing";

const ROUTE = "/api/v1/namespaces/{namespace}/datasets/{dataset}/freshness";
type Freshness = Schemas["Freshness"];

export function FreshnessTab({ of }: { of: Name }) {
  return <Answer of={useFreshness(of)}>{(freshness) => <Shown of={of} freshness={freshness} />}</Answer>;
}

function Shown({ of, freshness }: { of: Name; freshness: Freshness }) {
  const { setAt, expectation, habit } = freshness;
  return (
    <>
      <Section title="Now" note={sentenceOf(freshness)}>
        <Facts facts={factsOf(freshness)} />
      </Section>
      <Section title="What is expected" note={setAt === null ? "nothing was set" : undefined}>
        <div className={freshnessStyles.expected}>
          {setAt !== null && expectation && (
            <p>
              {expectationText(expectation)}{" "}
              <span className={styles.quiet}>
                Set <Time at={setAt} />.
              </span>
            </p>
          )}
          {habit ? (
            <p>
              {habitText(habit)}{" "}
              <span className={styles.quiet}>
                Learned from {habit.learnedFrom} gaps; at least {percentText(habit.confidence)} of writes come in time.
              </span>
            </p>
          ) : (
            setAt === null && (
              <p className={styles.quiet}>Its writes are too few, or too irregular, to learn a habit from.</p>
            )
          )}
          <Expecting of={of} expectation={setAt === null ? null : expectation} />
        </div>
      </Section>
    </>
  );
}

function sentenceOf({ state, lateS, reason, setAt }: Freshness): string | undefined {
  if (state === "unknown") return reason ?? undefined;
  const by = setAt === null ? ", by its habit" : "";
  return state === "late" && lateS !== null ? `${durationText(lateS * 1000)} too late${by}` : by.slice(2) || undefined;
}

function factsOf({ state, dueAt, lateAt, lateSince, lastWrite }: Freshness): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    ["State", <StateBadge key="state" state={state} />],
    ["Last write", lastWrite && <Time key="last" at={lastWrite.at} as="second" />],
  ];
  if (lastWrite?.run) {
    const { id, job } = lastWrite.run;
    facts.push([
      "By",
      <span key="by" className={styles.toldBy}>
        <NodeName kind="job" of={job} />
        <Link href={paths.run(id)}>run</Link>
      </span>,
    ]);
  }
  if (dueAt) facts.push(["Next write due", <Time key="due" at={dueAt} as="second" />]);
  if (lateSince) facts.push(["Late since", <Time key="since" at={lateSince} as="second" />]);
  else if (lateAt) facts.push(["Late from", <Time key="late" at={lateAt} as="second" />]);
  return facts;
}

function Expecting({ of, expectation }: { of: Name; expectation: Schemas["Expectation"] | null }) {
  const [editing, setEditing] = useState(false);
  const client = useQueryClient();
  const params = { path: pathOf(of) };
  const done = async () => {
    setEditing(false);
    // Badges and the home screen tell of freshness too: what they know is asked again.
    await client.invalidateQueries({
      predicate: ({ queryKey }) => /freshness|overview|badges/.test(String(queryKey[1])),
    });
  };
  const put = query.useMutation("put", ROUTE, { onSuccess: done });
  const remove = query.useMutation("delete", ROUTE, { onSuccess: done });
  if (editing) {
    return (
      <ExpectationForm
        expectation={expectation}
        error={put.error}
        isBusy={put.isPending}
        onSave={(body) => put.mutate({ params, body })}
        onCancel={() => {
          put.reset();
          setEditing(false);
        }}
      />
    );
  }
  return (
    <>
      {remove.error != null && <ErrorNote error={remove.error} />}
      <div className={columnsStyles.ways}>
        <Button onClick={() => setEditing(true)}>{expectation ? "Change" : "Expect something"}</Button>
        {expectation && (
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate({ params })}>
            Expect nothing
          </Button>
        )}
      </div>
    </>
  );
}
