import { Link } from "wouter";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { asJson } from "../../api/json";
import { nodeId, paths, shortName } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { LinkButton } from "../../ui/LinkButton";
import { Figure, Figures } from "../../ui/Figure";
import { KindMark } from "../../ui/NodeName";
import { Columns, Screen } from "../../ui/Screen";
import { Answer, Empty } from "../../ui/States";
import { AffectedList } from "./AffectedList";
import { Chooser, ColumnChoice } from "./Chooser";
import { Export } from "./Export";
import { Groups } from "./Groups";
import styles from "./impact.module.css";
import { byNamespace, byOwner, NOBODY, type Subject, subjectOf } from "./summary";

export default function Impact() {
  const [params] = useParams();
  const node = params.get("node");
  if (!node) {
    return (
      <Screen title="Impact">
        <Chooser />
      </Screen>
    );
  }
  return <OfNode key={node} node={node} />;
}

function OfNode({ node }: { node: string }) {
  const impact = query.useQuery(
    "get",
    "/api/v1/impact",
    { params: { query: { nodeId: node } } },
    { select: (answer) => asJson(answer) },
  );
  // The node alone: who it is, and which columns it has.
  const graph = query.useQuery(
    "get",
    "/api/v1/lineage",
    { params: { query: { nodeId: node, depth: 0, direction: "downstream" } } },
    { select: (answer) => asJson(answer) },
  );
  const subject = impact.data && graph.data && subjectOf(impact.data.node, graph.data.graph);
  const title = subject ? `Impact of ${subject.column ?? shortName(subject.name)}` : "Impact";
  return (
    <Screen
      title={title}
      heading={subject && <Heading of={subject} />}
      over={subject && <Over of={subject} />}
      actions={subject && <Actions of={subject} node={node} />}
    >
      <Answer of={impact} label="Looking downstream">
        {(answer) => <Shown impact={answer} isColumn={answer.byColumns !== undefined} />}
      </Answer>
    </Screen>
  );
}

function Heading({ of }: { of: Subject }) {
  return (
    <span className={styles.heading}>
      <KindMark kind={of.kind} />
      <span>
        What depends on {shortName(of.name)}
        {of.column !== null && <span className={styles.column}>.{of.column}</span>}
      </span>
    </span>
  );
}

function Over({ of }: { of: Subject }) {
  return (
    <>
      <span>Impact</span>
      <Link href={of.kind === "dataset" ? paths.dataset(of) : paths.job(of)}>{of.name}</Link>
      <span>{of.namespace}</span>
    </>
  );
}

function Actions({ of, node }: { of: Subject; node: string }) {
  const more: Record<string, string> = of.column === null ? {} : { columns: "1", column: of.column };
  return (
    <>
      {of.kind === "dataset" && of.columns.length > 0 && <ColumnChoice of={of} />}
      <Export subject={of} node={node} />
      <LinkButton href={paths.lineage(nodeId(of.kind, of), more)}>Lineage</LinkButton>
    </>
  );
}

function Shown({ impact, isColumn }: { impact: Schemas["Impact"]; isColumn: boolean }) {
  const [params, change] = useParams();
  const { counts } = impact;
  if (counts.datasets + counts.jobs === 0) {
    return (
      <Empty>
        Nothing depends on it, as far as producers tell: no job reads it at present.{" "}
        {isColumn && "No column is made from it."}
      </Empty>
    );
  }
  return (
    <>
      <Figures>
        <Figure
          title="Datasets"
          value={countText(counts.datasets)}
          note={`in ${manyText(counts.namespaces, "namespace")}, with the jobs`}
        />
        <Figure title="Jobs" value={countText(counts.jobs)} />
        <Figure title="Owners" value={countText(counts.owners)} />
        <Figure
          title="Without an owner"
          value={countText(counts.withoutOwner)}
          tone={counts.withoutOwner > 0 ? "warn" : "idle"}
        />
      </Figures>
      {impact.byColumns && impact.byTablesOnly && <Certainty by={impact.byColumns} only={impact.byTablesOnly} />}
      <Columns wide>
        <Groups
          title="By owner"
          what="Owner"
          groups={byOwner(impact)}
          chosen={params.get("owner")}
          keyOf={(name) => name ?? NOBODY}
          onChoose={(owner) => change({ owner })}
        />
        <Groups
          title="By namespace"
          what="Namespace"
          groups={byNamespace(impact)}
          chosen={params.get("ns")}
          keyOf={(name) => name ?? ""}
          onChoose={(ns) => change({ ns })}
        />
      </Columns>
      <AffectedList impact={impact} isColumn={isColumn} />
    </>
  );
}

type Impacted = Schemas["Impact"];

/** What column lineage proves, and what nobody can say. */
function Certainty({
  by,
  only,
}: {
  by: NonNullable<Impacted["byColumns"]>;
  only: NonNullable<Impacted["byTablesOnly"]>;
}) {
  const silent = only.datasetsWithoutColumnLineage;
  return (
    <p className={styles.certainty}>
      Column lineage leads to <b>{manyText(by.columns, "column")}</b> of {manyText(by.datasets, "dataset")}, by{" "}
      {manyText(by.jobs, "job")}. {manyText(only.datasets, "dataset")} and {manyText(only.jobs, "job")} are reached by
      tables only
      {silent > 0 ? `; of ${countText(silent)} of these datasets nobody tells where their columns come from.` : "."}
    </p>
  );
}
