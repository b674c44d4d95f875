import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { useSegments } from "../../model/addresses";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { CopyButton } from "../../ui/Code";
import { Figure, Figures } from "../../ui/Figure";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Time } from "../../ui/Time";
import { Logs } from "./Logs";
import { SpanWaterfall } from "./SpanWaterfall";
import { Touched } from "./Touched";
import { useParam } from "../../model/params";

export default function Trace() {
  const [, id = ""] = useSegments();
  const answer = query.useQuery("get", "/api/v1/traces/{trace_id}", { params: { path: { trace_id: id } } });
  const root = answer.data?.spans[0];
  return (
    <Screen
      title={root ? `${root.name} · trace` : "Trace"}
      heading={root?.name ?? "Trace"}
      over={
        <>
          <Link href={paths.traces()}>Traces</Link>
          <code>{id}</code>
        </>
      }
      actions={<CopyButton text={id} label="Copy id" />}
    >
      <Answer of={answer} label="Reading the trace">
        {(trace) => <Whole trace={trace} />}
      </Answer>
    </Screen>
  );
}

function Whole({ trace }: { trace: Schemas["Trace"] }) {
  const [tab, setTab] = useParam("tab", "lineage");
  return (
    <>
      <Figures>
        <Figure title="Duration" value={durationText(trace.durationNs / 1e6)} />
        <Figure
          title="Started"
          value={<Time at={trace.startedAt} as="ago" />}
          note={<Time at={trace.startedAt} as="second" />}
        />
        <Figure title="Spans" value={countText(trace.spanCount)} note={spanNote(trace)} />
        <Figure title="Failed spans" value={countText(trace.errorCount)} tone={trace.errorCount > 0 ? "bad" : "idle"} />
        <Figure
          title="Services"
          value={countText(trace.services.length)}
          note={trace.services.slice(0, 4).join(", ")}
        />
      </Figures>
      <Section title="Spans" flush>
        <SpanWaterfall trace={trace} />
      </Section>
      <Tabs
        label="More of this trace"
        chosen={tab === "logs" ? "logs" : "lineage"}
        onChoose={setTab}
        tabs={[
          { key: "lineage", title: `Lineage (${manyText(trace.runs.length, "run")})` },
          { key: "logs", title: "Logs" },
        ]}
      >
        {tab === "logs" ? <Logs of={{ trace: trace.traceId }} /> : <Touched trace={trace} />}
      </Tabs>
    </>
  );
}

function spanNote(trace: Schemas["Trace"]): string | undefined {
  const notes = [
    trace.truncated ? `the first ${countText(trace.spans.length)} are shown` : "",
    trace.repeatedSpans > 0 ? `${countText(trace.repeatedSpans)} sent twice` : "",
  ].filter(Boolean);
  return notes.length > 0 ? notes.join("; ") : undefined;
}
