import { useAsked } from "./asked";
import type { OfStage } from "./figures";
import styles from "./telemetry.module.css";

/** A pipeline and its stage; chosen, everything on the screen speaks of it alone. */
export function StageName({ of, tenant }: { of: OfStage; tenant: boolean }) {
  const [, ask] = useAsked();
  const { pipeline, stage, namespace } = of;
  if (!pipeline) return <span className={styles.quiet}>runs that no event told of</span>;
  return (
    <button
      type="button"
      className={styles.pick}
      title={[pipeline, stage, tenant && `tenant ${namespace}`].filter(Boolean).join("\n")}
      onClick={() => ask({ pipeline, stage })}
    >
      {pipeline}
      {stage && <span className={styles.stage}> › {stage}</span>}
      {tenant && <span className={styles.stage}> · {namespace}</span>}
    </button>
  );
}
