import { keepPreviousData } from "@tanstack/react-query";
import { query, type Schemas } from "../../api/client";
import { bytesText, shortText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration } from "../../ui/Time";
import { ShareBar } from "./Bars";
import { hasTenants, shareOf, stageKey } from "./figures";
import { Filters, useOfStage } from "./Filters";
import { NothingYet, NoTelemetry } from "./HowToSend";
import { ServiceUse } from "./ServiceUse";
import { StageName } from "./StageName";
import { useTime } from "./TelemetryScreen";

type Row = Schemas["ResourceUse"]["pipelines"][number];

const MOST_ROWS = 1000;

/** What pipelines and services use of machines. */
export function Resources() {
  const { within } = useTime();
  const asked = { ...within, ...useOfStage() };
  const question = query.useQuery(
    "get",
    "/api/v1/analytics/resources",
    { params: { query: { ...asked, limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  if (question.error) return <NoTelemetry error={question.error} retry={() => void question.refetch()} />;
  if (!question.data) return <Loading />;
  const { pipelines, services } = question.data;
  const isFiltered = asked.pipeline !== undefined || asked.stage !== undefined;
  if (pipelines.length === 0 && services.length === 0 && !isFiltered) return <NothingYet what="use of CPU or memory" />;
  return (
    <>
      <Filters />
      <Section title="Pipelines" note="from the spans of Spark's stages; the most CPU first" flush>
        <Table
          label="Resource use by pipeline and stage"
          columns={columnsOf(pipelines)}
          rows={pipelines}
          keyOf={stageKey}
          height={420}
          empty="No spans of Spark's stages in this time. Pipelines of the SDK send them by themselves."
        />
      </Section>
      {!isFiltered && <ServiceUse services={services} />}
    </>
  );
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const tenant = hasTenants(rows);
  const mostCpu = rows.reduce((most, row) => Math.max(most, row.cpuNs), 0);
  const mostMemory = rows.reduce((most, row) => Math.max(most, row.peakMemoryBytes), 0);
  const bytes = (key: "bytesIn" | "bytesOut" | "shuffleWrittenBytes" | "spilledBytes", title: string): Column<Row> => ({
    key,
    title,
    align: "right",
    width: "76px",
    cell: (row) => bytesText(row[key]),
  });
  return [
    {
      key: "name",
      title: "Pipeline › stage",
      width: "minmax(150px, 2fr)",
      cell: (row) => <StageName of={row} tenant={tenant} />,
    },
    { key: "tasks", title: "Tasks", align: "right", width: "60px", cell: (row) => shortText(row.tasks) },
    {
      key: "cpu",
      title: "CPU time",
      align: "right",
      width: "150px",
      cell: (row) => (
        <ShareBar share={shareOf(row.cpuNs, mostCpu)} wide>
          <Duration ms={row.cpuNs / 1e6} />
        </ShareBar>
      ),
    },
    { key: "gc", title: "of it GC", align: "right", width: "72px", cell: (row) => <Duration ms={row.gcMs} /> },
    {
      key: "memory",
      title: "Peak memory",
      align: "right",
      width: "150px",
      cell: (row) => (
        <ShareBar share={shareOf(row.peakMemoryBytes, mostMemory)}>{bytesText(row.peakMemoryBytes)}</ShareBar>
      ),
    },
    bytes("bytesIn", "Read"),
    bytes("bytesOut", "Written"),
    bytes("shuffleWrittenBytes", "Shuffled"),
    bytes("spilledBytes", "Spilled"),
  ];
}
