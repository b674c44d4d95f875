import { useState } from "react";
import { Link } from "wouter";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { type Name, paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { StateBadge } from "../../ui/Badge";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { pathOf } from "./dataset-path";
import styles from "./dataset.module.css";
import historyStyles from "./history.module.css";
import { withSchemaMarks } from "./versions-marks";

/** Each holds its run and all facets, so few are asked for at once. */
const PAGE = 20;

type Row = { version: Schemas["DatasetVersion"]; isNewSchema: boolean };

function columnsFor(of: Name): Column<Row>[] {
  const written = ({ version }: Row) =>
    version.createdByRun?.outputDatasetVersions.find(
      ({ datasetVersionId: id }) => id.name === of.name && id.namespace === of.namespace,
    )?.statistics?.rowCount;
  return [
    { key: "at", title: "Written", width: "130px", cell: ({ version }) => <Time at={version.createdAt} /> },
    {
      key: "version",
      title: "Version",
      width: "minmax(90px, 1fr)",
      cell: ({ version }) => (
        <code title={version.version} className={styles.cut}>
          {version.version}
        </code>
      ),
    },
    {
      key: "run",
      title: "Run",
      width: "minmax(120px, 1fr)",
      cell: ({ version: { createdByRun: run } }) =>
        run ? (
          <Link href={paths.run(run.id)} className={styles.run} title={run.id}>
            <StateBadge state={run.state} />
            <code>{run.id.slice(0, 8)}</code>
          </Link>
        ) : (
          <span className={styles.quiet}>named by a producer</span>
        ),
    },
    {
      key: "rows",
      title: "Rows",
      align: "right",
      width: "96px",
      cell: (row) => {
        const rows = written(row);
        return rows == null ? <span className={styles.quiet}>–</span> : countText(rows);
      },
    },
    {
      key: "columns",
      title: "Columns",
      align: "right",
      width: "130px",
      cell: ({ version, isNewSchema }) => (
        <>
          {isNewSchema && <span className={historyStyles.changed}>~ schema changed </span>}
          {countText(version.fields.length)}
        </>
      ),
    },
  ];
}

export function Versions({ of }: { of: Name }) {
  const [offset, setOffset] = useState(0);
  const versions = query.useQuery(
    "get",
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions",
    // One more than is shown: whether the last one's schema is new, only the one before it tells.
    { params: { path: pathOf(of), query: { limit: PAGE + 1, offset } } },
    { placeholderData: (before) => before },
  );
  const total = versions.data?.totalCount ?? 0;
  return (
    <Section
      title="Versions"
      note={versions.data && manyText(total, "version")}
      flush
      actions={
        total > PAGE ? (
          <>
            <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              Newer
            </Button>
            <Button disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
              Older
            </Button>
          </>
        ) : undefined
      }
    >
      <Answer of={versions}>
        {(answer) => (
          <Table
            label="Versions"
            columns={columnsFor(of)}
            rows={withSchemaMarks(answer.versions).slice(0, PAGE)}
            keyOf={({ version }) => version.version}
            empty="No run that completed has written it, and no producer has named a version."
          />
        )}
      </Answer>
    </Section>
  );
}
