import type { Schemas } from "../../api/client";
import { bytesText, countText, manyText } from "../../model/numbers";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import styles from "./comparison.module.css";
import { columnLines, facetLines, measured } from "./differences";
import { FacetTable } from "./FacetDifferences";

type Sides = Schemas["DatasetDifferences"];
type Changed = Sides["changed"][number];

/** Datasets that only one of the runs has, and how those of both differ. Nothing, if they are the same. */
export function DatasetDifferences({ title, sides }: { title: string; sides: Sides }) {
  if (sides.added.length + sides.removed.length + sides.changed.length === 0) return null;
  return (
    <Section title={title} note={sides.equal > 0 ? `${manyText(sides.equal, "other")} the same` : undefined}>
      <ul className={styles.datasets}>
        {sides.removed.map((one) => (
          <li key={`- ${one.namespace} ${one.name}`} data-kind="removed">
            <span className={styles.kind}>− only the first</span>
            <NodeName kind="dataset" of={one} full />
          </li>
        ))}
        {sides.added.map((one) => (
          <li key={`+ ${one.namespace} ${one.name}`} data-kind="added">
            <span className={styles.kind}>+ only the second</span>
            <NodeName kind="dataset" of={one} full />
          </li>
        ))}
        {sides.changed.map((one) => (
          <li key={`~ ${one.dataset.namespace} ${one.dataset.name}`} data-kind="changed">
            <span className={styles.kind}>~ differs</span>
            <div className={styles.dataset}>
              <NodeName kind="dataset" of={one.dataset} full />
              <How of={one} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function How({ of }: { of: Changed }) {
  const figures = [
    { title: "rows", ...(of.rowCount && measured(of.rowCount, countText)) },
    { title: "size", ...(of.size && measured(of.size, bytesText)) },
    { title: "files", ...(of.fileCount && measured(of.fileCount, countText)) },
  ].filter((one) => one.a !== undefined);
  return (
    <>
      {figures.length > 0 && (
        <ul className={styles.figures}>
          {figures.map((one) => (
            <li key={one.title}>
              {one.title}: {one.a} → {one.b} {one.change && <span className={styles.change}>{one.change}</span>}
            </li>
          ))}
        </ul>
      )}
      {of.version && (
        <p className={styles.figures}>
          version: <code>{of.version.a ?? "none"}</code> → <code>{of.version.b ?? "none"}</code>
        </p>
      )}
      {of.schema && (
        <ul className={styles.columns} aria-label="Columns">
          {columnLines(of.schema).map((line) => (
            <li key={line.text} data-kind={line.kind}>
              <span aria-hidden="true">{line.kind === "added" ? "+" : line.kind === "removed" ? "−" : "~"}</span>{" "}
              <span className="visually-hidden">{line.kind}: </span>
              <code>{line.text}</code>
            </li>
          ))}
        </ul>
      )}
      {of.facets && <FacetTable label="Facets of the dataset" lines={facetLines(of.facets)} />}
    </>
  );
}
