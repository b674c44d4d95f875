import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";
import { Tag } from "../../ui/Badge";
import { Facts } from "../../ui/Section";
import { Time } from "../../ui/Time";
import styles from "./dataset.module.css";
import type { DatasetAnswer } from "./dataset-path";

interface Props {
  dataset: DatasetAnswer;
  /** The name in the page's address. */
  asked: Name;
}

/** What people say about it, and what they must know before they trust the rest. */
export function About({ dataset, asked }: Props) {
  const { description, owners, tags, aliases = [], storage } = dataset;
  const stored = [storage?.storageLayer, storage?.fileFormat].filter(Boolean).join(", ");
  const facts: [string, React.ReactNode][] = [
    ["Owners", owners.length > 0 ? <Owners owners={owners} /> : "nobody is named"],
    ["Updated", <Time key="updated" at={dataset.updatedAt} as="ago" />],
    ["First heard of", <Time key="created" at={dataset.createdAt} />],
  ];
  if (![dataset.namespace, "default"].includes(dataset.sourceName)) facts.push(["Source", dataset.sourceName]);
  if (stored) facts.push(["Stored as", stored]);
  if (dataset.physicalName !== dataset.name) facts.push(["Physical name", dataset.physicalName]);
  if (tags.length > 0) facts.push(["Tags", <TagList key="tags" tags={tags} />]);
  if (aliases.length > 0) facts.push(["Also named", <Aliases key="aliases" aliases={aliases} />]);
  return (
    <div className={styles.about}>
      <Notes dataset={dataset} asked={asked} />
      {description && <p className={styles.description}>{description}</p>}
      <Facts facts={facts} />
    </div>
  );
}

function Notes({ dataset, asked }: Props) {
  const notes: string[] = [];
  if (asked.namespace !== dataset.namespace || asked.name !== dataset.name) {
    notes.push(`You came by another of its names: ${asked.name} in ${asked.namespace}.`);
  }
  if (dataset.deleted) notes.push("It was dropped. What you see is what was known of it last.");
  if (dataset.namedOnly) notes.push("Other datasets name it, and no run, job or event has told of it itself.");
  if (dataset.symlinkConflict)
    notes.push("Several tables claim the same location, so that none of them is joined with it.");
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function Owners({ owners }: { owners: Schemas["Owner"][] }) {
  return (
    <>
      {owners.map(({ name, type }, index) => (
        <span key={`${name} ${type}`}>
          {index > 0 && ", "}
          {name}
          {type && <span className={styles.quiet}> {type.toLowerCase()}</span>}
        </span>
      ))}
    </>
  );
}

export function TagList({ tags }: { tags: string[] }) {
  return (
    <span className={styles.tags}>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

function Aliases({ aliases }: { aliases: Name[] }) {
  return (
    <ul>
      {aliases.map(({ namespace, name }) => (
        <li key={`${namespace} ${name}`}>
          {name} <span className={styles.quiet}>{namespace}</span>
        </li>
      ))}
    </ul>
  );
}
