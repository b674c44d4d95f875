import { countText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import styles from "./impact.module.css";
import type { Group } from "./summary";

interface Props {
  title: string;
  what: string;
  groups: Group[];
  /** The key of the group that the list below is narrowed to. */
  chosen: string | null;
  keyOf: (name: string | null) => string;
  onChoose: (key: string | null) => void;
}

/** Counts by something; a press narrows the list to that. */
export function Groups({ title, what, groups, chosen, keyOf, onChoose }: Props) {
  const columns: Column<Group>[] = [
    {
      key: "name",
      title: what,
      width: "minmax(80px, 1fr)",
      cell: ({ name }) => {
        const key = keyOf(name);
        return (
          <button
            type="button"
            className={styles.group}
            aria-pressed={chosen === key}
            title={name ?? "nobody"}
            onClick={() => onChoose(chosen === key ? null : key)}
          >
            {name ?? "nobody"}
          </button>
        );
      },
    },
    { key: "datasets", title: "Datasets", align: "right", width: "64px", cell: (one) => countText(one.datasets) },
    { key: "jobs", title: "Jobs", align: "right", width: "48px", cell: (one) => countText(one.jobs) },
    {
      key: "last",
      title: "Last use",
      align: "right",
      width: "84px",
      cell: (one) => <Time at={one.lastUse} as="ago" />,
    },
  ];
  return (
    <Section title={title} flush>
      <div className={styles.groups}>
        <Table label={title} columns={columns} rows={groups} keyOf={({ name }) => keyOf(name)} height={260} />
      </div>
    </Section>
  );
}
