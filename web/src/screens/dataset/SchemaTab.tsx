import { useMemo, useState } from "react";
import { query } from "../../api/client";
import { asJson } from "../../api/json";
import { nodeId } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { Section } from "../../ui/Section";
import { Empty } from "../../ui/States";
import { columnsOf, matching, rowInputsOf } from "./columns";
import { ColumnRows } from "./ColumnRows";
import styles from "./dataset.module.css";
import type { DatasetAnswer } from "./dataset-path";
import { InputList } from "./FieldLinks";

const FILTER_FROM = 13;
/** More rows at once make the page slow, and nobody reads them. */
const SHOWN_FIRST = 200;

/** Every column with what it is, what it is made from and what it feeds. */
export function SchemaTab({ dataset }: { dataset: DatasetAnswer }) {
  const node = nodeId("dataset", dataset);
  const { data: graph } = query.useQuery(
    "get",
    "/api/v1/column-lineage",
    { params: { query: { nodeId: node, depth: 1, withDownstream: true } } },
    { select: (answer) => asJson(answer) },
  );
  const [params, change] = useParams();
  const [words, setWords] = useState("");
  const [all, setAll] = useState(false);
  const columns = useMemo(() => columnsOf(dataset, graph), [dataset, graph]);
  const deciding = useMemo(() => rowInputsOf(dataset, graph), [dataset, graph]);
  const found = matching(columns, words);
  const open = params.get("column");
  const shown = all ? found : found.filter((column, index) => index < SHOWN_FIRST || column.path === open);
  if (columns.length === 0) {
    return dataset.deleted ? (
      <Empty>It was dropped, and its schema with it.</Empty>
    ) : (
      <Empty>
        Nobody has told which columns it has. A producer does so with the <code>schema</code> facet.
      </Empty>
    );
  }
  return (
    <>
      <Section
        title="Columns"
        note={words ? `${found.length} of ${columns.length}` : manyText(columns.length, "column")}
        flush
        actions={
          columns.length >= FILTER_FROM ? (
            <TextField
              type="search"
              label="Filter columns"
              quiet
              placeholder="Filter columns"
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          ) : undefined
        }
      >
        {found.length === 0 ? (
          <Empty>No column has these words in its name, type, tags or description.</Empty>
        ) : (
          <ColumnRows dataset={dataset} columns={shown} open={open} onOpen={(column) => change({ column })} />
        )}
        {shown.length < found.length && (
          <div className={styles.more}>
            <Button onClick={() => setAll(true)}>Show all {found.length} columns</Button>
          </div>
        )}
      </Section>
      {deciding.length > 0 && (
        <Section title="What decides about its rows" note="filters, joins, grouping: told of the dataset as a whole">
          <InputList inputs={deciding} />
        </Section>
      )}
    </>
  );
}
