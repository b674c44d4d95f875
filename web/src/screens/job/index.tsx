import { useEffect } from "react";
import { query, type Schemas } from "../../api/client";
import { useStream } from "../../api/stream";
import { useSegments } from "../../model/addresses";
import { type Name, shortName } from "../../model/nodes";
import { rememberVisit } from "../../model/places";
import { StateBadge, Tag } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { NodeName } from "../../ui/NodeName";
import { PlaceActions } from "../../ui/PlaceActions";
import { Columns, Screen } from "../../ui/Screen";
import { Facts, Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Duration, Time } from "../../ui/Time";
import { useParam } from "../../model/params";
import { CodeOfJob } from "./CodeOfJob";
import { Facets } from "./Facets";
import styles from "./job.module.css";
import { RunsOfJob } from "./RunsOfJob";
import { sourceOf } from "./source";
import { SourceLink } from "./SourceLink";
import { VersionsOfJob } from "./VersionsOfJob";

export default function Job() {
  const [, namespace = "", name = ""] = useSegments();
  const answer = query.useQuery("get", "/api/v1/namespaces/{namespace}/jobs/{job}", {
    params: { path: { namespace, job: name } },
  });
  const job = answer.data;
  const isThere = job !== undefined;
  useEffect(() => {
    if (isThere) rememberVisit({ kind: "job", namespace, name });
  }, [isThere, namespace, name]);
  useStream(["runs"], () => void answer.refetch({ cancelRefetch: false }), {
    filter: { namespace, job: name },
    enabled: isThere,
  });
  return (
    <Screen
      title={shortName(name)}
      heading={
        <span className={styles.heading}>
          {name}
          {job && <StateBadge state={job.latestRun?.state} />}
        </span>
      }
      over={
        <>
          <span>Job</span>
          <span>{namespace}</span>
        </>
      }
      actions={<PlaceActions of={{ kind: "job", namespace, name }} />}
    >
      <Answer of={answer} label="Reading the job">
        {(found) => <Whole job={found} />}
      </Answer>
    </Screen>
  );
}

const TABS = ["runs", "code", "versions", "facets"] as const;
type Tab = (typeof TABS)[number];
const TITLES: Record<Tab, string> = { runs: "Runs", code: "Code", versions: "Versions", facets: "Facets" };

function Whole({ job }: { job: Schemas["Job"] }) {
  const [asked, setTab] = useParam("tab", "runs");
  const tab = TABS.find((one) => one === asked) ?? "runs";
  return (
    <>
      {job.description && <p className={styles.description}>{job.description}</p>}
      <Columns>
        <About job={job} />
        <Section title="Inputs and outputs">
          <div className={styles.sides}>
            <Side title="Reads" names={job.inputs} />
            <Side title="Writes" names={job.outputs} />
          </div>
        </Section>
      </Columns>
      <Tabs
        label="Parts of this job"
        chosen={tab}
        onChoose={setTab}
        tabs={TABS.map((key) => ({ key, title: TITLES[key] }))}
      >
        {tab === "runs" && <RunsOfJob job={job.id} />}
        {tab === "code" && <CodeOfJob facets={job.facets} location={job.location} />}
        {tab === "versions" && <VersionsOfJob job={job.id} current={job.currentVersion} />}
        {tab === "facets" && (
          <Facets of={{ kind: "job", of: job.id, told: job.facets }} empty="Events about this job have no facets." />
        )}
      </Tabs>
    </>
  );
}

function About({ job }: { job: Schemas["Job"] }) {
  const source = sourceOf(job.facets, job.location);
  const facts: [string, React.ReactNode][] = [
    ["Type", [job.type, ...job.labels].join(", ").toLowerCase()],
    ["Last run", job.latestRun && <Time at={job.latestRun.startedAt ?? job.latestRun.createdAt} as="ago" />],
    ["It took", job.latestRun && <Duration ms={job.latestRun.durationMs} />],
    ["Owners", job.owners.length > 0 ? job.owners.map((owner) => owner.name).join(", ") : null],
    ["Tags", job.tags.length > 0 ? <Tags of={job.tags} /> : null],
    ["Known since", <Time key="since" at={job.createdAt} />],
  ];
  if (job.parentJobName) {
    facts.push([
      "Part of",
      <NodeName key="part" kind="job" of={{ namespace: job.namespace, name: job.parentJobName }} />,
    ]);
  }
  if (source) facts.push(["Source", <SourceLink key="source" source={source} short />]);
  return (
    <Section title="About" note={job.namedOnly ? "only other jobs tell of it" : undefined}>
      <Facts facts={facts} />
    </Section>
  );
}

function Tags({ of }: { of: string[] }) {
  return (
    <span className={styles.tags}>
      {of.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

const MOST_NAMES = 12;

function Side({ title, names }: { title: string; names: Name[] }) {
  const [all, setAll] = useParam(`all-${title.toLowerCase()}`);
  const shown = all ? names : names.slice(0, MOST_NAMES);
  return (
    <div>
      <h3>
        {title} <span className={styles.hint}>{names.length}</span>
      </h3>
      <ul className={styles.names}>
        {shown.map((one) => (
          <li key={`${one.namespace} ${one.name}`}>
            <NodeName kind="dataset" of={one} full />
          </li>
        ))}
        {names.length === 0 && <li className={styles.hint}>nothing</li>}
      </ul>
      {shown.length < names.length && (
        <Button look="bare" onClick={() => setAll("yes")}>
          {names.length - shown.length} more
        </Button>
      )}
    </div>
  );
}
