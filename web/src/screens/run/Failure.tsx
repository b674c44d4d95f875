import type { Schemas } from "../../api/client";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import styles from "./run.module.css";

/** What the producer said went wrong: in the run, and in finding out about its lineage. */
export function Failure({ run }: { run: Schemas["RunAnswer"] }) {
  const { error, extractionError: lost } = run;
  return (
    <>
      {error && (
        <Section title="Error" note={error.programmingLanguage}>
          <div className={styles.failure}>
            {error.message && <pre className={styles.errorText}>{error.message}</pre>}
            {error.stackTrace && <Code text={error.stackTrace} label="Stack trace" maxHeight={320} />}
          </div>
        </Section>
      )}
      {lost && lost.errors.length > 0 && (
        <Section
          title="Lineage that could not be found out"
          note={lost.totalTasks === null ? undefined : `${lost.failedTasks ?? 0} of ${lost.totalTasks} tasks`}
        >
          <div className={styles.failure}>
            {lost.errors.map((one, at) => (
              <div key={at}>
                <pre className={styles.errorText}>
                  {one.task ? `${one.task}: ${one.errorMessage}` : one.errorMessage}
                </pre>
                {one.stackTrace && <Code text={one.stackTrace} label="Stack trace" maxHeight={220} />}
              </div>
            ))}
          </div>
        </Section>
      )}
    </>
  );
}
