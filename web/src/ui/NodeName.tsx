import { Link } from "wouter";
import { type Name, paths, shortName } from "../model/nodes";
import styles from "./NodeName.module.css";

interface Props {
  kind: "dataset" | "job";
  of: Name;
  /** Without a link, where the whole row or card is one. */
  plain?: boolean;
  /** The namespace under the name. */
  full?: boolean;
}

export function KindMark({ kind }: { kind: "dataset" | "job" }) {
  return (
    <svg className={styles.mark} data-kind={kind} viewBox="0 0 14 14" aria-hidden="true">
      {kind === "dataset" ? (
        <path d="M2 3.5C2 2.4 4.2 1.5 7 1.5s5 .9 5 2v7c0 1.1-2.2 2-5 2s-5-.9-5-2zM2 3.5c0 1.1 2.2 2 5 2s5-.9 5-2M2 7c0 1.1 2.2 2 5 2s5-.9 5-2" />
      ) : (
        <path d="M3 2l8 5-8 5z" />
      )}
    </svg>
  );
}

/** A dataset or a job by its name, the way it is shown everywhere. */
export function NodeName({ kind, of, plain = false, full = false }: Props) {
  const name = (
    <>
      <KindMark kind={kind} />
      <span className={styles.name}>{full ? of.name : shortName(of.name)}</span>
    </>
  );
  const title = `${of.namespace}\n${of.name}`;
  return (
    <span className={styles.node} title={title}>
      {plain ? (
        <span className={styles.line}>{name}</span>
      ) : (
        <Link className={styles.line} href={kind === "dataset" ? paths.dataset(of) : paths.job(of)}>
          {name}
        </Link>
      )}
      {full && <span className={styles.namespace}>{of.namespace}</span>}
    </span>
  );
}
