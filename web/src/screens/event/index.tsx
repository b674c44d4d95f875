import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { Link } from "wouter";
import { api, type Schemas } from "../../api/client";
import { useSegments } from "../../model/addresses";
import { paths } from "../../model/nodes";
import { bytesText, manyText } from "../../model/numbers";
import { typeText, toneOf } from "../../model/states";
import { Badge } from "../../ui/Badge";
import { Code } from "../../ui/Code";
import { NodeName } from "../../ui/NodeName";
import { Columns, Screen } from "../../ui/Screen";
import { Facts, Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { Time } from "../../ui/Time";
import { type About, aboutOf, type Mention, titleOf } from "./about";
import { layOut, memberText } from "../../model/exactJson";
import styles from "./Event.module.css";

type Told = Schemas["EventAnswer"];

interface Asked {
  told: Told;
  /** The event's own text, on lines. */
  sent: string;
}

export default function Event() {
  const [, id = ""] = useSegments();
  const question = useQuery({
    queryKey: ["event", id],
    queryFn: async ({ signal }): Promise<Asked> => {
      const { data, error } = await api.GET("/api/v1/events/{event_id}", {
        params: { path: { event_id: id } },
        parseAs: "text",
        signal,
      });
      if (error !== undefined || data === undefined) throw error ?? new Error("no answer");
      return { told: JSON.parse(data) as Told, sent: layOut(memberText(data, "event") ?? "") };
    },
  });
  return (
    <Screen
      title="Event"
      heading={question.data && titleOf(aboutOf(question.data.told.event, question.data.told.rewritten?.names))}
      over={
        <>
          <Link href={paths.events()}>Events</Link>
          <span className="mono">{id}</span>
        </>
      }
    >
      <Answer of={question} label="Reading the event">
        {({ told, sent }) => <Whole told={told} sent={sent} about={aboutOf(told.event, told.rewritten?.names)} />}
      </Answer>
    </Screen>
  );
}

function Whole({ told, sent, about }: Asked & { about: About }) {
  return (
    <>
      <Section title="What it tells of">
        <Facts
          facts={[
            [
              "Type",
              about.kind === "run" ? (
                <Badge tone={toneOf(about.type)}>{typeText(about.type)}</Badge>
              ) : (
                <Badge>{about.kind}</Badge>
              ),
            ],
            ["Happened", <Time key="at" at={told.eventTime} as="second" />],
            ["Known to the hub", <Time key="known" at={told.knownAt} as="second" />],
            ["Tenant", told.tenant],
            ...(about.job
              ? ([["Job", <Named key="job" kind="job" of={about.job} />]] as [string, React.ReactNode][])
              : []),
            ...(about.dataset
              ? ([["Dataset", <Named key="dataset" kind="dataset" of={about.dataset} />]] as [
                  string,
                  React.ReactNode,
                ][])
              : []),
            ...(about.run ? ([["Run", <RunLink key="run" id={about.run} />]] as [string, React.ReactNode][]) : []),
            ...(about.parentRun
              ? ([["Parent run", <RunLink key="parent" id={about.parentRun} />]] as [string, React.ReactNode][])
              : []),
            ["Producer", about.producer && <Breakable key="producer" text={about.producer} />],
          ]}
        />
      </Section>
      {(about.inputs.length > 0 || about.outputs.length > 0) && (
        <Columns>
          <Datasets title="Reads" of={about.inputs} />
          <Datasets title="Writes" of={about.outputs} />
        </Columns>
      )}
      {told.warnings.length > 0 && <Warnings of={told.warnings} />}
      {told.rewritten && <Rules of={told.rewritten} />}
      <Code label="As it was sent" language="json" text={sent} maxHeight={720} />
    </>
  );
}

/** A long address breaks between its parts. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[/.:?&=-])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function RunLink({ id }: { id: string }) {
  return (
    <Link className="mono" href={paths.run(id)}>
      {id}
    </Link>
  );
}

function Named({ kind, of }: { kind: "job" | "dataset"; of: Mention }) {
  return (
    <>
      <NodeName kind={kind} of={of} full />
      {of.sentAs && (
        <span className={styles.sentAs}>
          sent as {of.sentAs.namespace} {of.sentAs.name}
        </span>
      )}
    </>
  );
}

function Datasets({ title, of }: { title: string; of: Mention[] }) {
  return (
    <Section title={title} note={manyText(of.length, "dataset")}>
      {of.length === 0 ? (
        <p className={styles.none}>Nothing that the event names.</p>
      ) : (
        <ul className={styles.list}>
          {of.map((one) => (
            <li key={`${one.namespace}\n${one.name}`}>
              <Named kind="dataset" of={one} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Warnings({ of }: { of: Told["warnings"] }) {
  return (
    <Section title="Warnings" note="The event was taken; these parts may be read otherwise than they were meant.">
      <ul className={styles.list}>
        {of.map((one, at) => (
          <li key={at} className={styles.warning}>
            <code>{one.where}</code> <span>{one.warning}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Rules({ of }: { of: NonNullable<Told["rewritten"]> }) {
  return (
    <Section title="What rules made of it" note="The text below stays as it was sent.">
      <ul className={styles.list}>
        {(of.names ?? []).map((one) => (
          <li key={`${one.kind} ${one.from.namespace} ${one.from.name}`}>
            {one.kind}{" "}
            <code>
              {one.from.namespace} {one.from.name}
            </code>{" "}
            became{" "}
            <Link
              href={one.kind === "job" ? paths.job(one.to) : paths.dataset(one.to)}
            >{`${one.to.namespace} ${one.to.name}`}</Link>{" "}
            <span className={styles.none}>by {one.rules.join(", ")}</span>
          </li>
        ))}
        {(of.facets ?? []).map((one, at) => (
          <li key={at}>
            facet <code>{one.facet}</code> of the {one.place} ({bytesText(one.bytes)}){" "}
            {one.action === "drop" ? "was left out" : one.action === "trim" ? "was trimmed" : "was put aside"}{" "}
            <span className={styles.none}>by {one.rule}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
