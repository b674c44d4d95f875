import { keepPreviousData } from "@tanstack/react-query";
import { query, type Schemas } from "../../api/client";
import { countText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration } from "../../ui/Time";
import { greatest, QuantileBar } from "./Bars";
import { hasTenants, stageKey } from "./figures";
import { Left } from "./Left";
import { StageName } from "./StageName";

type Row = Schemas["RunDurations"]["durations"][number];

export interface AskedRuns {
  from: string;
  to: string;
  pipeline?: string;
  stage?: string;
}

const MOST_ROWS = 1000;

/** How long runs took, by pipeline and stage. */
export function Durations({ asked }: { asked: AskedRuns }) {
  const question = query.useQuery(
    "get",
    "/api/v1/analytics/durations",
    { params: { query: { ...asked, limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section title="Durations" note="of runs that ended; the slowest p95 first" flush>
      <Answer of={question}>
        {({ durations, totalCount }) => (
          <>
            <Table
              label="Durations by pipeline and stage"
              columns={columnsOf(durations)}
              rows={durations}
              keyOf={stageKey}
              height={420}
              empty="No run ended in this time."
            />
            <Left shown={durations.length} total={totalCount} />
          </>
        )}
      </Answer>
    </Section>
  );
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const most = greatest(rows.map((row) => row.durationMs));
  const tenant = hasTenants(rows);
  const quantile = (name: "p50" | "p95" | "p99" | "max"): Column<Row> => ({
    key: name,
    title: name === "max" ? "longest" : name,
    align: "right",
    width: "88px",
    cell: (row) => <Duration ms={row.durationMs[name]} />,
  });
  return [
    {
      key: "name",
      title: "Pipeline › stage",
      width: "minmax(160px, 2fr)",
      cell: (row) => <StageName of={row} tenant={tenant} />,
    },
    { key: "runs", title: "Runs", align: "right", width: "64px", cell: (row) => countText(row.runs) },
    {
      key: "bar",
      title: "p50 · p95 · p99",
      width: "minmax(96px, 1.5fr)",
      cell: (row) => <QuantileBar of={row.durationMs} most={most} />,
    },
    quantile("p50"),
    quantile("p95"),
    quantile("p99"),
    quantile("max"),
  ];
}
