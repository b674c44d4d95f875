import { Link } from "wouter";
import { type Name, paths } from "../../model/nodes";
import { KindMark } from "../../ui/NodeName";
import styles from "./datasets.module.css";

/** The whole name on one line: in a list the parts before the last tell datasets apart. */
export function DatasetLink({ of, note }: { of: Name; note?: string | null }) {
  return (
    <Link
      className={styles.link}
      href={paths.dataset(of)}
      title={`${of.namespace}\n${of.name}${note ? `\n\n${note}` : ""}`}
    >
      <KindMark kind="dataset" />
      <span>{of.name}</span>
    </Link>
  );
}

const MOST_TAGS = 3;

export function Tags({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null;
  const shown = tags.slice(0, MOST_TAGS).join(", ");
  return (
    <span className={styles.tags} title={tags.join("\n")}>
      {shown}
      {tags.length > MOST_TAGS && ` +${tags.length - MOST_TAGS}`}
    </span>
  );
}
