import { problemOf } from "../../api/client";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import styles from "./Pipelines.module.css";

const HOW = `pip install 'lineage-hub[server,spark]'
mkdir pipelines && lineage-hub pipeline init pipelines/shop.yaml
lineage-hub serve --pipeline-folder pipelines --pipeline-roots pipelines`;

/** The part of the hub that runs pipelines is an extra. */
export function Missing({ error }: { error: unknown }) {
  const problem = problemOf(error);
  return (
    <Section title="This hub runs no pipelines">
      <div className={styles.missing}>
        <p>
          Pipelines are YAML files that the hub runs on Spark: extracts, transforms and loads, with rules for their
          rows. Lineage, quality and traces come with each run. That part isn't installed here.
        </p>
        <Code label="How to get it" language="bash" text={HOW} />
        {problem.code === 501 && problem.action && <p>{problem.action}</p>}
      </div>
    </Section>
  );
}
