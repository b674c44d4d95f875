import type { Schemas } from "../../api/client";
import { manyText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import styles from "./comparison.module.css";
import { type FacetLine, facetLines, hiddenCount } from "./differences";

/** Facets that differ, value by value. Nothing, if they are the same. */
export function FacetDifferences({ title, facets }: { title: string; facets: Schemas["FacetDifferences"] }) {
  const lines = facetLines(facets);
  if (lines.length === 0) return null;
  const hidden = hiddenCount(facets);
  const notes = [
    facets.equal > 0 ? `${manyText(facets.equal, "facet")} the same` : "",
    hidden > 0 ? `${manyText(hidden, "further difference")} not shown` : "",
  ].filter(Boolean);
  return (
    <Section title={title} note={notes.join(", ") || undefined} flush>
      <FacetTable label={title} lines={lines} />
    </Section>
  );
}

export function FacetTable({ label, lines }: { label: string; lines: FacetLine[] }) {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${label}: values`}>
      <table className={styles.values}>
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">First</th>
            <th scope="col">Second</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr key={at} data-kind={line.kind}>
              <th scope="row">
                <span className={styles.facet}>{line.facet}</span>
                {line.path && <code>{line.path}</code>}
              </th>
              <td>{line.kind === "added" ? <span className={styles.none}>not there</span> : <pre>{line.a}</pre>}</td>
              <td>{line.kind === "removed" ? <span className={styles.none}>not there</span> : <pre>{line.b}</pre>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
