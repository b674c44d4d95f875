import { useMemo } from "react";
import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { KindMark } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import styles from "./impact.module.css";
import { type Affected, filtered } from "./summary";

const TYPES = [
  { value: "", title: "datasets and jobs" },
  { value: "DATASET", title: "datasets" },
  { value: "JOB", title: "jobs" },
];
const WAYS = [
  { value: "", title: "any way" },
  { value: "columns", title: "by columns" },
  { value: "tables", title: "by tables only" },
];

const PLAIN: Column<Affected>[] = [
  {
    key: "name",
    title: "Name",
    width: "minmax(180px, 3fr)",
    cell: (one) => {
      const isJob = one.type === "JOB";
      return (
        <Link
          className={styles.link}
          href={isJob ? paths.job(one) : paths.dataset(one)}
          title={`${one.namespace}\n${one.name}`}
        >
          <KindMark kind={isJob ? "job" : "dataset"} />
          <span className="visually-hidden">{isJob ? "job" : "dataset"}</span>
          <span>{one.name}</span>
        </Link>
      );
    },
  },
  {
    key: "namespace",
    title: "Namespace",
    width: "minmax(110px, 1.5fr)",
    cell: (one) => (
      <span className={styles.quiet} title={one.namespace}>
        {one.namespace}
      </span>
    ),
  },
];
const OF_COLUMN: Column<Affected>[] = [
  { key: "via", title: "Via", width: "64px", cell: (one) => one.via },
  { key: "columns", title: "Columns", width: "minmax(120px, 2fr)", cell: (one) => <Reached of={one} /> },
];
const REST: Column<Affected>[] = [
  {
    key: "owners",
    title: "Owners",
    width: "minmax(90px, 1fr)",
    cell: (one) => (
      <span className={one.owners.length > 0 ? styles.cut : styles.quiet} title={one.owners.join("\n")}>
        {one.owners.join(", ") || "nobody"}
      </span>
    ),
  },
  { key: "distance", title: "Jobs away", align: "right", width: "72px", cell: (one) => countText(one.distance) },
  {
    key: "last",
    title: "Last use",
    align: "right",
    width: "84px",
    cell: ({ lastUse }) =>
      lastUse ? (
        <Link href={paths.run(lastUse.runId)} title={`${lastUse.job.name}, ${lastUse.state.toLowerCase()}`}>
          <Time at={lastUse.at} as="ago" />
        </Link>
      ) : (
        <span className={styles.quiet}>never</span>
      ),
  },
];

function Reached({ of }: { of: Affected }) {
  const names = of.columns ?? [];
  const text = [...names, ...(of.wholeDataset ? ["all of its rows"] : [])].join(", ");
  if (text) {
    return (
      <span className={styles.cut} title={text}>
        {text}
      </span>
    );
  }
  if (of.type === "JOB") return null;
  return <span className={styles.quiet}>{of.columnLineage ? "none of them" : "not told"}</span>;
}

/** All that is downstream, the nearest first, however many there are. */
export function AffectedList({ impact, isColumn }: { impact: Schemas["Impact"]; isColumn: boolean }) {
  const [params, change] = useParams();
  const [words, type, via] = [params.get("q") ?? "", params.get("type"), isColumn ? params.get("via") : null];
  const [namespace, owner] = [params.get("ns"), params.get("owner")];
  const rows = useMemo(
    () => filtered(impact.affected, { words, type, via, namespace, owner }),
    [impact, words, type, via, namespace, owner],
  );
  const isNarrowed = Boolean(words || type || via || namespace || owner);
  const columns = isColumn ? [...PLAIN, ...OF_COLUMN, ...REST] : [...PLAIN, ...REST];
  return (
    <Section
      title="Affected"
      note={isNarrowed ? `${countText(rows.length)} of ${countText(impact.affected.length)}` : countText(rows.length)}
      flush
      actions={
        <>
          <TextField
            type="search"
            label="Filter"
            quiet
            placeholder="Filter"
            value={words}
            onChange={(event) => change({ q: event.target.value })}
          />
          <Select label="Kind" quiet choices={TYPES} value={type ?? ""} onChoose={(value) => change({ type: value })} />
          {isColumn && (
            <Select
              label="Reached"
              quiet
              choices={WAYS}
              value={via ?? ""}
              onChoose={(value) => change({ via: value })}
            />
          )}
          {isNarrowed && (
            <Button look="bare" onClick={() => change({ q: null, type: null, via: null, ns: null, owner: null })}>
              Show all
            </Button>
          )}
        </>
      }
    >
      {impact.truncated && (
        <p className={styles.truncated}>
          {manyText(impact.hidden_nodes, "more is", "more are")} not listed; the counts above are of all.
        </p>
      )}
      <Table
        label="Affected"
        columns={columns}
        rows={rows}
        keyOf={(one) => one.nodeId}
        height="min(640px, 80vh)"
        empty="None of those affected is like this."
      />
    </Section>
  );
}
