// What an empty hub shows: how to send the first event, and a week of sample data by one button.
import { useState } from "react";
import { BASE } from "../../api/base";
import { query } from "../../api/client";
import { manyText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { ErrorNote } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { addressOf, SNIPPETS, type SnippetKey, snippetText } from "./snippets";
import type { useSample } from "./useSample";
import styles from "./Home.module.css";

type Load = ReturnType<typeof useSample>;

export function Beginning({ load }: { load: Load }) {
  const [chosen, setChosen] = useState<SnippetKey>("python");
  const snippet = SNIPPETS.find((one) => one.key === chosen) ?? SNIPPETS[0];
  const url = addressOf(window.location.origin, BASE);
  return (
    <>
      <p className={styles.things}>Point a producer at it: this page fills by itself with the first event.</p>
      <Section title="Send the first event">
        <div className={styles.snippets}>
          <Tabs
            label="Producers"
            tabs={SNIPPETS.map(({ key, title }) => ({ key, title }))}
            chosen={chosen}
            onChoose={setChosen}
          >
            <p>{snippet.about}</p>
            <Code label={snippet.title} language={snippet.language} text={snippetText(snippet.text, url)} />
          </Tabs>
        </div>
      </Section>
      <Sample load={load} />
    </>
  );
}

function Sample({ load }: { load: Load }) {
  const events = query.useQuery(
    "get",
    "/api/v1/events/lineage",
    { params: { query: { limit: 1 } } },
    { enabled: load.isPending, refetchInterval: load.isPending ? 500 : false, staleTime: 0 },
  );
  return (
    <Section title="Or look around first">
      <div className={styles.sample}>
        <p>
          A week of an invented bookshop: Airflow, dbt, Spark and Flink, with a failed run, a late table and a change of
          schema. It is taken only by a hub without events; a new <code>--data</code> folder is an empty hub again.
        </p>
        <Button look="main" disabled={load.isPending} onClick={() => load.mutate({})}>
          {load.isPending ? "Loading sample data…" : "Load sample data"}
        </Button>
        {load.isPending && (
          <div className={styles.progress} role="status">
            <progress aria-label="Loading sample data" />
            <span>{manyText(events.data?.totalCount ?? 0, "event")} so far</span>
          </div>
        )}
        {load.error != null && <ErrorNote error={load.error} />}
      </div>
    </Section>
  );
}
