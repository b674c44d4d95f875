import { Link } from "wouter";
import { type Name, paths } from "../../model/nodes";
import { NodeName } from "../../ui/NodeName";
import styles from "./dataset.module.css";

interface Props {
  job: Name | null;
  run: string | null;
  event: string;
}

/** Who said so: the job, and the run or else the event. */
export function ToldBy({ job, run, event }: Props) {
  return (
    <span className={styles.toldBy}>
      {job && <NodeName kind="job" of={job} />}
      {run ? <Link href={paths.run(run)}>run</Link> : <Link href={paths.event(event)}>event</Link>}
    </span>
  );
}
