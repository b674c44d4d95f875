// Without a node there is no picture: one is looked for by name.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths } from "../../model/nodes";
import { useRecent } from "../../model/places";
import { NodeName } from "../../ui/NodeName";
import { Screen } from "../../ui/Screen";
import { Answer, Empty } from "../../ui/States";
import { TextField } from "../../ui/Field";
import { Section } from "../../ui/Section";
import styles from "./Panel.module.css";

export function ChooseNode() {
  const [text, setText] = useState("");
  const recent = useRecent();
  const question = useQuery({
    ...query.queryOptions("get", "/api/v1/search", { params: { query: { q: text, limit: 20 } } }),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
  return (
    <Screen title="Lineage">
      <Section title="Of what?" note="A dataset or a job; its lineage is drawn around it.">
        <TextField label="Name" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
        {text === "" ? (
          <ul className={styles.list}>
            {recent.map((place) => (
              <li key={`${place.kind}:${place.namespace}:${place.name}`}>
                <Link href={paths.lineage(`${place.kind}:${place.namespace}:${place.name}`)}>
                  <NodeName kind={place.kind} of={place} plain full />
                </Link>
              </li>
            ))}
          </ul>
        ) : (
          <Answer of={question} label="Searching">
            {({ results }) =>
              results.length === 0 ? (
                <Empty>Nothing by that name. Try a part of it.</Empty>
              ) : (
                <ul className={styles.list}>
                  {results.map((found) => (
                    <li key={found.nodeId}>
                      <Link href={paths.lineage(found.nodeId)}>
                        <NodeName kind={found.type === "JOB" ? "job" : "dataset"} of={found} plain full />
                      </Link>
                    </li>
                  ))}
                </ul>
              )
            }
          </Answer>
        )}
      </Section>
    </Screen>
  );
}
