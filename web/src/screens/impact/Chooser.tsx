import { useDeferredValue, useState } from "react";
import { Link, useLocation } from "wouter";
import { query } from "../../api/client";
import { nodeId, paths } from "../../model/nodes";
import { Select, TextField } from "../../ui/Field";
import { KindMark } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import styles from "./impact.module.css";
import { fieldId, type Subject } from "./summary";

/** Another column of the same dataset, or the whole of it. */
export function ColumnChoice({ of }: { of: Subject }) {
  const [, go] = useLocation();
  const names = of.column === null || of.columns.includes(of.column) ? of.columns : [of.column, ...of.columns];
  return (
    <Select
      label="Column"
      className={styles.choice}
      choices={[{ value: "", title: "whole dataset" }, ...names.map((name) => ({ value: name, title: name }))]}
      value={of.column ?? ""}
      onChoose={(column) => go(paths.impact(column ? fieldId(of, column) : nodeId("dataset", of)))}
    />
  );
}

/** Where nothing was asked about yet: find a dataset or a job by its name. */
export function Chooser() {
  const [text, setText] = useState("");
  const words = useDeferredValue(text.trim());
  return (
    <Section title="Of what?">
      <div className={styles.chooser}>
        <TextField
          type="search"
          label="Dataset or job"
          placeholder="orders"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {words ? <Found words={words} /> : <Empty>Name a dataset or a job to see all that depends on it.</Empty>}
      </div>
    </Section>
  );
}

function Found({ words }: { words: string }) {
  const found = query.useQuery("get", "/api/v1/search", { params: { query: { q: words, limit: 20 } } });
  return (
    <Answer of={found} label="Searching">
      {({ results }) =>
        results.length === 0 ? (
          <Empty>Nothing matches. Try fewer words, or a part of the name.</Empty>
        ) : (
          <ul aria-label="Found">
            {results.map((one) => (
              <li key={one.nodeId}>
                <Link className={styles.link} href={paths.impact(one.nodeId)} title={`${one.namespace}\n${one.name}`}>
                  <KindMark kind={one.type === "JOB" ? "job" : "dataset"} />
                  <span>{one.name}</span>
                  <span className={styles.quiet}>{one.namespace}</span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  );
}
