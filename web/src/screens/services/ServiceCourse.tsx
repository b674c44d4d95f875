import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths } from "../../model/nodes";
import { Button } from "../../ui/Button";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { inSameTime, useAsked } from "../telemetry/asked";
import { Left } from "../telemetry/Left";
import { OperationDialog } from "../telemetry/OperationDialog";
import { type Operation, slowSeries, spanSeries } from "../telemetry/operations";
import { OperationTable } from "../telemetry/OperationTable";
import telemetry from "../telemetry/telemetry.module.css";
import { useTime } from "../telemetry/TelemetryScreen";
import { NANOSECONDS } from "../telemetry/units";

const MOST_OPERATIONS = 100;
const MOST_LINES = 6;

/** The operations of one service over time. */
export function ServiceCourse({ service, onClose }: { service: string; onClose: () => void }) {
  const { within, stepS } = useTime();
  const [params, ask] = useAsked();
  const question = query.useQuery(
    "get",
    "/api/v1/telemetry/operations",
    { params: { query: { ...within, service, step: stepS, limit: MOST_OPERATIONS } } },
    { placeholderData: keepPreviousData },
  );
  const opened = params.get("operation");
  return (
    <Section
      title={service}
      note="its operations"
      actions={
        <>
          <Link href={inSameTime(paths.traces(), params, { service })}>Traces</Link>
          <Button look="bare" onClick={onClose} aria-label={`Close ${service}`}>
            ✕
          </Button>
        </>
      }
      flush
    >
      <Answer of={question}>
        {({ operations, totalCount }) => (
          <>
            <div className={telemetry.padded}>
              <Charts operations={operations} stepS={stepS} />
            </div>
            <OperationTable operations={operations} ofOne onChoose={(one) => ask({ operation: one.operation })} />
            <Left shown={operations.length} total={totalCount} />
          </>
        )}
      </Answer>
      {opened && <OperationDialog service={service} operation={opened} onClose={() => ask({ operation: null })} />}
    </Section>
  );
}

function Charts({ operations, stepS }: { operations: Operation[]; stepS: number }) {
  const { from, to, onStretch } = useTime();
  const spans = useMemo(() => spanSeries(operations, MOST_LINES), [operations]);
  const slow = useMemo(() => slowSeries(operations, MOST_LINES), [operations]);
  const chart = { from, to, stepS, onStretch, height: 160 };
  return (
    <Columns wide>
      <TimeChart label="Spans by operation" titled series={spans} as="bars" {...chart} />
      <TimeChart label="p95 of the slowest operations" titled series={slow} {...chart} {...NANOSECONDS} />
    </Columns>
  );
}
