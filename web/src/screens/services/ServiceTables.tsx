import type { Schemas } from "../../api/client";
import { countText, percentText, shortText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { type Column, Table } from "../../ui/Table";
import { ShareBar } from "../telemetry/Bars";
import telemetry from "../telemetry/telemetry.module.css";
import { NANOSECONDS, rateText } from "../telemetry/units";
import { callKey } from "./layers";
import type { ServiceFigures } from "./services";

type Call = Schemas["ServiceMap"]["calls"][number];

interface Props {
  figures: ServiceFigures[];
  calls: Call[];
  onChoose: (name: string) => void;
}

/** The map as tables: services, and who calls whom. */
export function ServiceTables({ figures, calls, onChoose }: Props) {
  const byNumber = [...calls].sort((a, b) => b.calls - a.calls);
  return (
    <>
      <Section title="Services" note="the busiest first" flush>
        <Table
          label="Services"
          columns={serviceColumns(onChoose)}
          rows={figures}
          keyOf={(row) => row.name}
          height={420}
          empty="No service sent spans in this time."
        />
      </Section>
      <Section title="Calls" note="the most frequent first" flush>
        <Table
          label="Calls between services"
          columns={CALL_COLUMNS}
          rows={byNumber}
          keyOf={callKey}
          height={420}
          empty="No service called another in this time."
        />
      </Section>
    </>
  );
}

function serviceColumns(onChoose: Props["onChoose"]): Column<ServiceFigures>[] {
  return [
    {
      key: "name",
      title: "Service",
      width: "minmax(100px, 1.4fr)",
      cell: (row) => (
        <button type="button" className={telemetry.pick} title={row.name} onClick={() => onChoose(row.name)}>
          {row.name || "without a name"}
        </button>
      ),
    },
    {
      key: "rate",
      title: "Spans",
      align: "right",
      width: "68px",
      cell: (row) => <span title={countText(row.spans)}>{rateText(row.perSecond)}</span>,
    },
    {
      key: "errors",
      title: "Errors",
      align: "right",
      width: "100px",
      cell: (row) => <ErrorShare of={row.errorRate} />,
    },
    quantile("p50"),
    quantile("p95"),
    quantile("p99"),
    { key: "in", title: "Called", align: "right", width: "52px", cell: (row) => shortText(row.callsIn) },
    { key: "out", title: "Calls", align: "right", width: "52px", cell: (row) => shortText(row.callsOut) },
  ];
}

function quantile(name: "p50" | "p95" | "p99"): Column<ServiceFigures> {
  return {
    key: name,
    title: name,
    align: "right",
    width: "96px",
    cell: (row) => NANOSECONDS.format(row.durationNs[name]),
  };
}

const CALL_COLUMNS: Column<Call>[] = [
  {
    key: "pair",
    title: "Caller → callee",
    width: "minmax(150px, 1.6fr)",
    cell: (row) => (
      <span className={telemetry.line} title={`${row.caller}\n${row.callee}`}>
        {row.caller} <span className={telemetry.quiet}>→</span> {row.callee}
      </span>
    ),
  },
  { key: "calls", title: "Calls", align: "right", width: "64px", cell: (row) => shortText(row.calls) },
  {
    key: "errors",
    title: "Errors",
    align: "right",
    width: "100px",
    cell: (row) => <ErrorShare of={row.calls > 0 ? row.errors / row.calls : 0} />,
  },
  { key: "mean", title: "mean", align: "right", width: "80px", cell: (row) => NANOSECONDS.format(row.durationNs.mean) },
  {
    key: "max",
    title: "longest",
    align: "right",
    width: "80px",
    cell: (row) => NANOSECONDS.format(row.durationNs.max),
  },
];

function ErrorShare({ of }: { of: number }) {
  return (
    <ShareBar share={of} tone="bad">
      {percentText(of)}
    </ShareBar>
  );
}
