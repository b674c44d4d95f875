import { useMemo, useState } from "react";
import type { Schemas } from "../../api/client";
import { bytesText, shortText } from "../../model/numbers";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { Select } from "../../ui/Field";
import { TimeChart } from "../../ui/TimeChart";
import { ShareBar } from "./Bars";
import { evenRates, hasTenants, shareOf, stageKey, writtenSeries } from "./figures";
import { StageName } from "./StageName";
import { useTime } from "./TelemetryScreen";

type Written = Schemas["RecordsWritten"];
type Row = Written["byPipeline"][number];

const WHAT = [
  { value: "recordsPerHour", title: "records" },
  { value: "bytesPerHour", title: "bytes" },
] as const;

/** How much was written, over time and by whom. */
export function Records({ of }: { of: Written }) {
  const { from, to, onStretch } = useTime();
  const [what, setWhat] = useState<(typeof WHAT)[number]["value"]>("recordsPerHour");
  const series = useMemo(() => evenRates(writtenSeries(of, what), of.stepS, from, to), [of, what, from, to]);
  return (
    <Columns wide>
      <Section
        title={what === "recordsPerHour" ? "Records per hour" : "Bytes per hour"}
        note="when the run ended"
        actions={<Select label="What is counted" quiet choices={[...WHAT]} value={what} onChoose={setWhat} />}
      >
        <TimeChart
          label={what === "recordsPerHour" ? "Records written per hour" : "Bytes written per hour"}
          series={series}
          as="bars"
          format={what === "recordsPerHour" ? shortText : bytesText}
          from={from}
          to={to}
          stepS={of.stepS}
          onStretch={onStretch}
        />
      </Section>
      <Section title="Written by pipeline" flush>
        <Table
          label="Records by pipeline"
          columns={columnsOf(of)}
          rows={of.byPipeline}
          keyOf={(row) => stageKey({ ...row, stage: null })}
          height={300}
          empty="No run that ended in this time told how much it wrote."
        />
      </Section>
    </Columns>
  );
}

function columnsOf({ byPipeline, records }: Written): Column<Row>[] {
  const tenant = hasTenants(byPipeline);
  return [
    {
      key: "name",
      title: "Pipeline",
      width: "minmax(120px, 1fr)",
      cell: (row) => <StageName of={{ ...row, stage: null }} tenant={tenant} />,
    },
    {
      key: "records",
      title: "Records",
      align: "right",
      width: "150px",
      cell: (row) => <ShareBar share={shareOf(row.records, records)}>{shortText(row.records)}</ShareBar>,
    },
    {
      key: "hour",
      title: "per hour",
      align: "right",
      width: "72px",
      cell: (row) => shortText(Math.round(row.recordsPerHour)),
    },
    { key: "bytes", title: "Bytes", align: "right", width: "80px", cell: (row) => bytesText(row.bytes) },
  ];
}
