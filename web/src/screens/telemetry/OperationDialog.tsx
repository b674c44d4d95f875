import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, percentText } from "../../model/numbers";
import { Dialog } from "../../ui/Dialog";
import { Facts } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { inSameTime, useAsked } from "./asked";
import { type Operation, outcomeSeries, quantileSeries } from "./operations";
import { useTime } from "./TelemetryScreen";
import { NANOSECONDS, rateText } from "./units";

interface Props {
  service: string;
  operation: string;
  onClose: () => void;
}

/** One operation over time, beside the list. */
export function OperationDialog({ service, operation, onClose }: Props) {
  const { within, stepS } = useTime();
  const [params] = useAsked();
  const question = query.useQuery(
    "get",
    "/api/v1/telemetry/operations",
    { params: { query: { ...within, service, operation, step: stepS, limit: 1 } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Dialog title={operation} at="side" onClose={onClose}>
      <Answer of={question}>
        {({ operations: [found] }) =>
          found ? <Course of={found} stepS={stepS} /> : <Empty>No span of this operation in this time.</Empty>
        }
      </Answer>
      <p>
        <Link href={inSameTime(paths.traces(), params, { service, operation })}>Traces with this operation</Link>
        {" · "}
        <Link href={inSameTime(paths.traces(), params, { service, operation, error: "true" })}>those with errors</Link>
      </p>
    </Dialog>
  );
}

function Course({ of, stepS }: { of: Operation; stepS: number }) {
  const { from, to } = useTime();
  const outcomes = useMemo(() => outcomeSeries(of), [of]);
  const quantiles = useMemo(() => quantileSeries(of), [of]);
  return (
    <>
      <Facts
        facts={[
          ["Service", of.service],
          ["Spans", `${countText(of.spans)}${of.spansPerSecond === null ? "" : `, ${rateText(of.spansPerSecond)}`}`],
          ["Errors", `${countText(of.errors)}, ${percentText(of.errorRate)}`],
          ["Time in all", NANOSECONDS.format(of.durationNs.total)],
        ]}
      />
      <TimeChart label="Spans" titled series={outcomes} as="bars" height={150} from={from} to={to} stepS={stepS} />
      <TimeChart label="Durations" series={quantiles} height={200} from={from} to={to} stepS={stepS} {...NANOSECONDS} />
    </>
  );
}
