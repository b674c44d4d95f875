import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { useParams } from "../../model/params";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { Empty } from "../../ui/States";
import styles from "./dataset.module.css";

/** All that producers told, as they told it. */
export function FacetsTab({ facets }: { facets: Schemas["Facets"] }) {
  const [params, change] = useParams();
  const texts = useMemo(
    () => Object.entries(facets).map(([name, facet]) => ({ name, text: JSON.stringify(facet, null, 2) })),
    [facets],
  );
  const chosen = texts.find((one) => one.name === params.get("facet")) ?? texts[0];
  if (!chosen) return <Empty>No producer has told anything of this dataset but its name.</Empty>;
  return (
    <Section title="Facets" note="as their producers sent them" flush>
      <div className={styles.facets}>
        <nav aria-label="Facets">
          <ul>
            {texts.map(({ name }) => (
              <li key={name}>
                <button type="button" aria-current={name === chosen.name} onClick={() => change({ facet: name })}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <Code label={chosen.name} text={chosen.text} language="json" maxHeight={640} />
      </div>
    </Section>
  );
}
