import { useState } from "react";
import { type FacetsOf, type FacetText, useFacetTexts } from "../../api/facetTexts";
import { manyText } from "../../model/numbers";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { textAt } from "../run/reading";
import styles from "./job.module.css";

interface Props {
  of: FacetsOf;
  empty: string;
}

/** Facets as they were sent, one to open at a time. */
export function Facets({ of, empty }: Props) {
  const question = useFacetTexts(of);
  return (
    <Answer of={question} label="Reading facets">
      {(facets) => (
        <Section title="Facets" note={manyText(facets.length, "facet")} flush={facets.length > 0}>
          {facets.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <ul className={styles.facets}>
              {facets.map((one) => (
                <li key={one.name}>
                  <Facet of={one} />
                </li>
              ))}
            </ul>
          )}
        </Section>
      )}
    </Answer>
  );
}

function Facet({ of: { name, text } }: { of: FacetText }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{name}</span>
        <span className={styles.producer}>{textAt(JSON.parse(text), "_producer")}</span>
      </summary>
      {open && <Code text={text} language="json" label={name} />}
    </details>
  );
}
