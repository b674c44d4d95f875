import { type FacetText, useFacetTexts } from "../../api/facetTexts";
import type { Name } from "../../model/nodes";
import { useParams } from "../../model/params";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import styles from "./facets.module.css";

/** All that producers told, as they told it. */
export function FacetsTab({ of, told }: { of: Name; told: unknown }) {
  const question = useFacetTexts({ kind: "dataset", of, told });
  return (
    <Answer of={question} label="Reading facets">
      {(texts) => <Chooser texts={texts} />}
    </Answer>
  );
}

function Chooser({ texts }: { texts: FacetText[] }) {
  const [params, change] = useParams();
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
