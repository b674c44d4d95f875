import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { Empty } from "../../ui/States";
import { codeOf, sourceOf, sqlOf } from "./source";
import { SourceLink } from "./SourceLink";

interface Props {
  facets: Record<string, unknown>;
  location?: string | null;
}

/** The SQL and the code of a job, as far as its facets tell. */
export function CodeOfJob({ facets, location }: Props) {
  const sql = sqlOf(facets);
  const code = codeOf(facets);
  const source = sourceOf(facets, location);
  if (!sql && !code && !source) {
    return (
      <Section title="Code">
        <Empty>No event tells of the job's code (facets sql, sourceCode, sourceCodeLocation).</Empty>
      </Section>
    );
  }
  return (
    <>
      {source && (
        <Section title="Source">
          <SourceLink source={source} />
        </Section>
      )}
      {sql && <Code text={sql} language="sql" label="SQL" maxHeight={640} />}
      {code && <Code text={code.text} language={code.language} label="Source code" maxHeight={640} />}
    </>
  );
}
