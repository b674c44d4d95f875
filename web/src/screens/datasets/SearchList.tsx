import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { countText, manyText } from "../../model/numbers";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { DatasetLink, Tags } from "./DatasetLink";
import styles from "./datasets.module.css";
import { foundIn } from "./rows";

type Result = Schemas["SearchResult"];
const MOST = 1_000;

const COLUMNS: Column<Result>[] = [
  { key: "name", title: "Name", width: "minmax(200px, 3fr)", cell: (one) => <DatasetLink of={one} /> },
  {
    key: "namespace",
    title: "Namespace",
    width: "minmax(120px, 2fr)",
    cell: (one) => (
      <span className={styles.quiet} title={one.namespace}>
        {one.namespace}
      </span>
    ),
  },
  {
    key: "found",
    title: "Found in",
    width: "minmax(100px, 1.5fr)",
    cell: (one) => {
      const found = foundIn(one);
      return found ? (
        <span className={styles.quiet} title={found.value}>
          {found.field} {found.value}
        </span>
      ) : (
        <span className={styles.quiet}>name</span>
      );
    },
  },
  { key: "tags", title: "Tags", width: "minmax(80px, 1fr)", cell: (one) => <Tags tags={one.tags} /> },
  { key: "jobs", title: "Jobs", align: "right", width: "56px", cell: (one) => countText(one.use.linked) },
  {
    key: "updated",
    title: "Updated",
    align: "right",
    width: "84px",
    cell: (one) => <Time at={one.updatedAt} as="ago" />,
  },
];

interface Props {
  words: string;
  tag: string;
  namespace: string | null;
  sort: string;
}

/** What the hub's search finds among datasets. */
export function SearchList({ words, tag, namespace, sort }: Props) {
  const found = query.useQuery("get", "/api/v1/search", {
    params: {
      query: {
        q: words || undefined,
        filter: "dataset",
        tag: tag ? [tag] : undefined,
        namespace: namespace ?? undefined,
        sort: sort === "name" ? "name" : sort === "updated" ? "updated_at" : undefined,
        limit: MOST,
      },
    },
  });
  return (
    <Answer of={found} label="Searching">
      {({ results, totalCount, notLookedAt, preparing }) => (
        <>
          <p className={styles.count} role="status">
            {manyText(totalCount, "dataset")}
            {results.length < totalCount && `, the first ${countText(results.length)} shown`}
            {notLookedAt ? `; ${countText(notLookedAt)} more have some of the words: add words to see them` : null}
            {preparing && " · the search is still reading columns, tags and owners"}
          </p>
          <Table
            label="Datasets"
            columns={COLUMNS}
            rows={results}
            keyOf={(one) => one.nodeId}
            height="calc(100vh - 212px)"
            empty="Nothing matches. Try fewer words, a part of a name, or another tag or namespace."
          />
        </>
      )}
    </Answer>
  );
}
