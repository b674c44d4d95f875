import { useState } from "react";
import { manyText } from "../../model/numbers";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { Empty } from "../../ui/States";
import { textAt } from "../run/reading";
import styles from "./job.module.css";

interface Props {
  facets: Record<string, unknown>;
  empty: string;
}

/** Facets as they were sent, one to open at a time. */
export function Facets({ facets, empty }: Props) {
  const entries = Object.entries(facets);
  return (
    <Section title="Facets" note={manyText(entries.length, "facet")} flush={entries.length > 0}>
      {entries.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <ul className={styles.facets}>
          {entries.map(([name, facet]) => (
            <li key={name}>
              <Facet name={name} facet={facet} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Facet({ name, facet }: { name: string; facet: unknown }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{name}</span>
        <span className={styles.producer}>{textAt(facet, "_producer")}</span>
      </summary>
      {open && <Code text={JSON.stringify(facet, null, 2)} language="json" label={name} />}
    </details>
  );
}
