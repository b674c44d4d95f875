import { BASE } from "../../api/base";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Section } from "../../ui/Section";
import { ErrorNote } from "../../ui/States";
import { useAsked } from "./asked";
import styles from "./telemetry.module.css";

/** How a program sends its telemetry here. */
export function HowToSend() {
  const hub = `${window.location.origin}${BASE}`.replace(/\/$/, "");
  return (
    <div className={styles.send}>
      <p>
        Any program with an OpenTelemetry SDK, and any collector, sends here. Runs come from lineage events, whoever
        produces them.
      </p>
      <Code
        label="A Python program, without a change to it"
        language="bash"
        text={[
          "pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http",
          "export OTEL_SERVICE_NAME=shop",
          "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${hub}`,
          "opentelemetry-instrument python app.py",
        ].join("\n")}
      />
    </div>
  );
}

/** Nothing in this time: perhaps before it, perhaps never. */
export function NothingYet({ what }: { what: string }) {
  const [params, ask] = useAsked();
  const isLongest = params.get("range") === "365d" && !params.get("from");
  return (
    <Section
      title={isLongest ? `No ${what} in the last year` : `No ${what} in this time`}
      actions={
        !isLongest && (
          <Button onClick={() => ask({ range: "365d", from: null, to: null })}>Look at the last year</Button>
        )
      }
    >
      <HowToSend />
    </Section>
  );
}

/** The hub keeps no telemetry, or can't reach it: said once, with what to do. */
export function NoTelemetry({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <Section title="No telemetry">
      <ErrorNote error={error} retry={retry} />
      <HowToSend />
    </Section>
  );
}
