import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../api/client";
import { Select } from "../../ui/Field";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { useAsked } from "./asked";
import { Choice } from "./Choice";
import { NothingYet, NoTelemetry } from "./HowToSend";
import { Left } from "./Left";
import { OperationDialog } from "./OperationDialog";
import { OPERATION_ORDERS, orderOf } from "./operations";
import { OperationTable } from "./OperationTable";
import styles from "./telemetry.module.css";
import { useTime } from "./TelemetryScreen";

const MOST_ROWS = 1000;

/** Which operations are slow, frequent or failing. */
export function Operations() {
  const { within } = useTime();
  const [params, ask] = useAsked();
  const service = params.get("service") ?? "";
  const sort = orderOf(params.get("sort"));
  const question = query.useQuery(
    "get",
    "/api/v1/telemetry/operations",
    { params: { query: { ...within, service: service || undefined, sort, limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  const services = useServiceNames();
  if (question.error) return <NoTelemetry error={question.error} retry={() => void question.refetch()} />;
  if (!question.data) return <Loading />;
  const { operations, totalCount, quantilesExact } = question.data;
  if (totalCount === 0 && !service) return <NothingYet what="span" />;
  const [opened, of] = [params.get("operation"), params.get("of")];
  return (
    <>
      <div className={styles.filters} role="group" aria-label="Filter">
        <Choice label="Service" value={service} names={services} onChoose={(next) => ask({ service: next })} />
        <Select
          label="First"
          choices={[...OPERATION_ORDERS]}
          value={sort}
          onChoose={(next) => ask({ sort: next === "p95" ? null : next })}
        />
      </div>
      <Section title="Operations" note={quantilesExact ? undefined : "quantiles to within 0.4 %"} flush>
        <OperationTable
          operations={operations}
          ofOne={service !== ""}
          onChoose={(chosen) => ask({ operation: chosen.operation, of: chosen.service })}
        />
        <Left shown={operations.length} total={totalCount} />
      </Section>
      {opened && of && (
        <OperationDialog service={of} operation={opened} onClose={() => ask({ operation: null, of: null })} />
      )}
    </>
  );
}

/** Names of the services that sent spans in this time. */
export function useServiceNames(): string[] {
  const { within } = useTime();
  const { data } = query.useQuery("get", "/api/v1/telemetry/services", { params: { query: within } });
  return useMemo(() => (data?.services ?? []).map((service) => service.name), [data]);
}
