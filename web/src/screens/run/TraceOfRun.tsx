import type { UseQueryResult } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { Missing } from "../trace/Missing";
import { SpanWaterfall } from "../trace/SpanWaterfall";
import { LinkButton } from "../../ui/LinkButton";

const JOINED: Record<Schemas["JoinedBy"], string> = {
  trace: "named by the run",
  attribute: "its spans name the run",
  name: "a guess: a span of the job's name at that time",
};

interface Props {
  of: Pick<UseQueryResult<Schemas["RunTrace"], unknown>, "data" | "error" | "refetch">;
}

export function TraceOfRun({ of }: Props) {
  const trace = of.data;
  return (
    <Section
      title="Trace"
      note={trace && `${manyText(trace.spanCount, "span")}; ${JOINED[trace.joinedBy]}`}
      actions={trace && <LinkButton href={paths.trace(trace.traceId)}>Open the trace</LinkButton>}
      flush
    >
      {trace ? (
        <SpanWaterfall trace={trace} own={trace.spanId} maxHeight={420} />
      ) : of.error ? (
        <Missing error={of.error} retry={() => void of.refetch()} />
      ) : (
        <Loading label="Looking for spans" />
      )}
    </Section>
  );
}
