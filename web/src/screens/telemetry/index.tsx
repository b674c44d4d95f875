import { Tabs } from "../../ui/Tabs";
import { useAsked } from "./asked";
import { Metrics } from "./Metrics";
import { Operations } from "./Operations";
import { Pipelines } from "./Pipelines";
import { Resources } from "./Resources";
import { TelemetryScreen } from "./TelemetryScreen";

const VIEWS = [
  { key: "runs", title: "Runs", View: Pipelines },
  { key: "resources", title: "Resources", View: Resources },
  { key: "operations", title: "Operations", View: Operations },
  { key: "metrics", title: "Metrics", View: Metrics },
] as const;

export default function Telemetry() {
  const [params, ask] = useAsked();
  const { key, View } = VIEWS.find((view) => view.key === params.get("view")) ?? VIEWS[0];
  return (
    <TelemetryScreen title="Telemetry">
      <Tabs
        label="What telemetry tells of"
        tabs={[...VIEWS]}
        chosen={key}
        onChoose={(next) => ask({ view: next === "runs" ? null : next })}
      >
        <View />
      </Tabs>
    </TelemetryScreen>
  );
}
