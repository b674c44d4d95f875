import { useMemo } from "react";
import { query } from "../../api/client";
import { Button } from "../../ui/Button";
import { useAsked } from "./asked";
import { Choice } from "./Choice";
import { namesToChoose } from "./figures";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";

export function useOfStage(): { pipeline?: string; stage?: string } {
  const [params] = useAsked();
  return { pipeline: params.get("pipeline") || undefined, stage: params.get("stage") || undefined };
}

/** Which pipeline and stage the screen speaks of. */
export function Filters() {
  const { within } = useTime();
  const [params, ask] = useAsked();
  const pipeline = params.get("pipeline") ?? "";
  const stage = params.get("stage") ?? "";
  // Every pipeline and stage that ran is in this answer, also those that never failed.
  const { data } = query.useQuery("get", "/api/v1/analytics/errors", {
    params: { query: { ...within, limit: 10_000 } },
  });
  const { pipelines, stages } = useMemo(() => namesToChoose(data?.errors ?? [], pipeline), [data, pipeline]);
  return (
    <div className={styles.filters} role="group" aria-label="Filter">
      <Choice
        label="Pipeline"
        value={pipeline}
        names={pipelines}
        onChoose={(next) => ask({ pipeline: next, stage: null })}
      />
      <Choice label="Stage" value={stage} names={stages} onChoose={(next) => ask({ stage: next })} />
      {(pipeline || stage) && (
        <Button look="bare" onClick={() => ask({ pipeline: null, stage: null })}>
          All pipelines
        </Button>
      )}
    </div>
  );
}
