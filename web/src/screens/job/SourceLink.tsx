import { shortName } from "../../model/nodes";
import styles from "./job.module.css";
import type { Source } from "./source";

/** `short` shows the file alone; the whole address when hovered. */
export function SourceLink({ source, short = false }: { source: Source; short?: boolean }) {
  const text = short ? shortPath(source.text) : source.text;
  return (
    <>
      {source.href ? (
        <a className={styles.source} href={source.href} target="_blank" rel="noreferrer" title={source.text}>
          {text}
        </a>
      ) : (
        <code title={source.text}>{text}</code>
      )}
      {source.version && (
        <>
          {" "}
          at <code title={source.version}>{source.version.slice(0, 12)}</code>
        </>
      )}
    </>
  );
}

/** Only paths have a last part: dots stand in names of files. */
function shortPath(text: string): string {
  return text.includes("/") ? shortName(text) : text;
}
