import { Fragment, useEffect } from "react";
import { Link } from "wouter";
import { problemOf, query } from "../../api/client";
import { useSegments } from "../../model/addresses";
import { type Name, paths, shortName } from "../../model/nodes";
import { useParams } from "../../model/params";
import { rememberVisit } from "../../model/places";
import { LinkButton } from "../../ui/LinkButton";
import { KindMark } from "../../ui/NodeName";
import { PlaceActions } from "../../ui/PlaceActions";
import { Screen } from "../../ui/Screen";
import { Answer, Empty } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { About } from "./About";
import styles from "./dataset.module.css";
import type { DatasetAnswer } from "./dataset-path";
import { FacetsTab } from "./FacetsTab";
import { FreshnessTab } from "./FreshnessTab";
import { HistoryTab } from "./HistoryTab";
import { QualityTab } from "./QualityTab";
import { RunsTab } from "./RunsTab";
import { SchemaTab } from "./SchemaTab";
import { Standing } from "./Standing";
import { StatisticsTab } from "./StatisticsTab";

const TABS = [
  { key: "schema", title: "Schema" },
  { key: "history", title: "History" },
  { key: "quality", title: "Quality" },
  { key: "statistics", title: "Statistics" },
  { key: "runs", title: "Runs & telemetry" },
  { key: "freshness", title: "Freshness" },
  { key: "facets", title: "Facets" },
] as const;
type Tab = (typeof TABS)[number]["key"];

export default function Dataset() {
  const [, namespace = "", name = ""] = useSegments();
  const asked = query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}", {
    params: { path: { namespace, dataset: name } },
  });
  const found = asked.data;
  // Under its own name: what is starred or opened again is the dataset, not the alias it was found by.
  const shown = found ? { namespace: found.namespace, name: found.name } : { namespace, name };
  return (
    <Screen
      title={shortName(shown.name)}
      heading={<Heading of={shown} />}
      over={
        <>
          <span>Dataset</span>
          <Link href={`${paths.datasets()}?${new URLSearchParams({ ns: shown.namespace })}`}>{shown.namespace}</Link>
          {found && <span>{found.type === "DB_TABLE" ? "table" : found.type.toLowerCase().replaceAll("_", " ")}</span>}
        </>
      }
      actions={found && <PlaceActions of={{ kind: "dataset", ...shown }} />}
    >
      {!found && problemOf(asked.error).code === 404 ? (
        <Nowhere name={name} />
      ) : (
        <Answer of={asked}>{(dataset) => <Opened dataset={dataset} asked={{ namespace, name }} />}</Answer>
      )}
    </Screen>
  );
}

function Heading({ of }: { of: Name }) {
  return (
    <span className={styles.heading}>
      <KindMark kind="dataset" />
      <span>
        {/* A long name breaks between its parts, where it can. */}
        {of.name.split(/(?<=[./_-])/).map((part, index) => (
          <Fragment key={index}>
            {index > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
      </span>
    </span>
  );
}

function Opened({ dataset, asked }: { dataset: DatasetAnswer; asked: Name }) {
  const [params, change] = useParams();
  const { namespace, name } = dataset;
  useEffect(() => rememberVisit({ kind: "dataset", namespace, name }), [namespace, name]);
  const chosen = TABS.find((tab) => tab.key === params.get("tab"))?.key ?? "schema";
  return (
    <>
      <Standing of={{ namespace, name }} />
      <About dataset={dataset} asked={asked} />
      <Tabs
        label="About this dataset"
        tabs={[...TABS]}
        chosen={chosen}
        onChoose={(tab) => change({ tab: tab === "schema" ? null : tab }, { push: true })}
      >
        <Content tab={chosen} dataset={dataset} />
      </Tabs>
    </>
  );
}

function Content({ tab, dataset }: { tab: Tab; dataset: DatasetAnswer }) {
  const of = { namespace: dataset.namespace, name: dataset.name };
  switch (tab) {
    case "schema":
      return <SchemaTab dataset={dataset} />;
    case "history":
      return <HistoryTab of={of} />;
    case "quality":
      return <QualityTab of={of} />;
    case "statistics":
      return <StatisticsTab of={of} />;
    case "runs":
      return <RunsTab of={of} />;
    case "freshness":
      return <FreshnessTab of={of} />;
    case "facets":
      return <FacetsTab of={of} told={dataset.facets} />;
  }
}

function Nowhere({ name }: { name: string }) {
  return (
    <Empty
      action={
        <LinkButton href={`${paths.datasets()}?${new URLSearchParams({ q: shortName(name) })}`}>
          Look for similar names
        </LinkButton>
      }
    >
      There is no dataset of this name. No event has told of it, or somebody has hidden it; the next event that mentions
      it brings it here.
    </Empty>
  );
}
