import { useDeferredValue } from "react";
import { query } from "../../api/client";
import { countText } from "../../model/numbers";
import { stateText } from "../../model/states";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { Screen } from "../../ui/Screen";
import { setParams, useParam } from "../../model/params";
import { AllJobs } from "./AllJobs";
import { FoundJobs } from "./FoundJobs";
import styles from "./jobs.module.css";

const STATES = ["RUNNING", "COMPLETED", "FAILED", "ABORTED", "NEW"] as const;

export default function Jobs() {
  const [words, setWords] = useParam("q");
  const [namespace, setNamespace] = useParam("namespace");
  const [asked, setState] = useParam("state");
  const state = STATES.find((one) => one === asked) ?? "";
  const looked = useDeferredValue(words.trim());
  const namespaces = query.useQuery("get", "/api/v1/namespaces", { params: { query: { limit: 1000 } } });
  const names = namespaces.data?.namespaces.map((one) => one.name) ?? [];
  if (namespace && !names.includes(namespace)) names.unshift(namespace);
  const isFiltered = Boolean(words || namespace || state);
  return (
    <Screen title="Jobs">
      <div className={styles.filters} role="search" aria-label="Which jobs">
        <TextField
          label="Find a job"
          quiet
          type="search"
          placeholder="Find by name, tag, owner, description"
          className={styles.words}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Select
          label="Namespace"
          quiet
          value={namespace}
          onChoose={setNamespace}
          choices={[
            { value: "", title: names.length > 0 ? `all ${countText(names.length)} namespaces` : "all namespaces" },
            ...names.map((value) => ({ value, title: value })),
          ]}
        />
        <Select
          label="Last run"
          value={state}
          onChoose={setState}
          choices={[{ value: "", title: "any state" }, ...STATES.map((value) => ({ value, title: stateText(value) }))]}
        />
        {isFiltered && (
          <Button look="bare" onClick={() => setParams({ q: "", namespace: "", state: "" })}>
            Clear
          </Button>
        )}
      </div>
      {looked ? (
        <FoundJobs words={looked} namespace={namespace} state={state} />
      ) : (
        <AllJobs namespace={namespace} state={state} isFiltered={isFiltered} />
      )}
    </Screen>
  );
}
