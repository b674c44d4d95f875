import { countText, manyText } from "../../model/numbers";
import { ErrorNote, Loading } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { DatasetLink, Tags } from "./DatasetLink";
import styles from "./datasets.module.css";
import { MOST_SORTED, type Row, type Sort } from "./rows";
import { useBrowse } from "./useBrowse";

const NAME: Column<Row> = {
  key: "name",
  title: "Name",
  width: "minmax(200px, 3fr)",
  cell: (row) => <DatasetLink of={row} note={row.description} />,
};
const NAMESPACE: Column<Row> = {
  key: "namespace",
  title: "Namespace",
  width: "minmax(120px, 2fr)",
  cell: (row) => (
    <span className={styles.quiet} title={row.namespace}>
      {row.namespace}
    </span>
  ),
};
const REST: Column<Row>[] = [
  { key: "tags", title: "Tags", width: "minmax(80px, 1fr)", cell: (row) => <Tags tags={row.tags} /> },
  {
    key: "fields",
    title: "Columns",
    align: "right",
    width: "64px",
    // Nobody has told of any: that isn't the same as none.
    cell: (row) => (row.fields ? countText(row.fields) : <span className={styles.quiet}>–</span>),
  },
  {
    key: "updated",
    title: "Updated",
    align: "right",
    width: "84px",
    cell: (row) => <Time at={row.updatedAt} as="ago" />,
  },
];

/** All datasets, or those of a namespace, however many there are. */
export function BrowseList({ namespace, sort }: { namespace: string | null; sort: Sort }) {
  const { rows, total, sortable, isPending, error, retry, onNeed } = useBrowse(namespace, sort);
  if (error != null) return <ErrorNote error={error} retry={retry} />;
  if (isPending) return <Loading label="Reading datasets" />;
  const columns = namespace ? [NAME, ...REST] : [NAME, NAMESPACE, ...REST];
  return (
    <>
      <p className={styles.count} role="status">
        {manyText(total, "dataset")}
        {!sortable && sort !== "name" && ` · by name: more than ${countText(MOST_SORTED)} are not sorted otherwise`}
      </p>
      <Table
        label="Datasets"
        columns={columns}
        rows={rows}
        total={total}
        onNeed={onNeed}
        keyOf={(row) => `${row.namespace} ${row.name}`}
        height="calc(100vh - 212px)"
        empty={
          namespace
            ? "No datasets in this namespace: its jobs have told of none, or they were dropped."
            : "No datasets yet. They are here as soon as an event names one."
        }
      />
    </>
  );
}
