import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, percentText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { ShareBar } from "./Bars";
import type { AskedRuns } from "./Durations";
import { hasTenants, stageKey } from "./figures";
import { Left } from "./Left";
import { StageName } from "./StageName";
import styles from "./telemetry.module.css";

type Row = Schemas["ErrorRates"]["errors"][number];

const MOST_ROWS = 1000;

/** Where runs fail, and what they said last. */
export function Errors({ asked }: { asked: AskedRuns }) {
  const question = query.useQuery(
    "get",
    "/api/v1/analytics/errors",
    { params: { query: { ...asked, limit: MOST_ROWS } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section title="Errors by stage" note="the greatest rate first" flush>
      <Answer of={question}>
        {({ errors, totalCount }) => {
          const failing = errors.filter((row) => row.failed > 0);
          // The greatest rates come first, so all that fail are here unless the last of them does.
          const isCut = failing.length === errors.length && errors.length < totalCount;
          return (
            <>
              <Table
                label="Errors by pipeline and stage"
                columns={columnsOf(failing)}
                rows={failing}
                keyOf={stageKey}
                height={420}
                empty={
                  errors.length
                    ? `Nothing failed: ${countText(totalCount)} pipelines and stages ran.`
                    : "Nothing ran in this time."
                }
              />
              <Left shown={failing.length} total={isCut ? totalCount : failing.length} />
            </>
          );
        }}
      </Answer>
    </Section>
  );
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const tenant = hasTenants(rows);
  return [
    {
      key: "name",
      title: "Pipeline › stage",
      width: "minmax(160px, 2fr)",
      cell: (row) => <StageName of={row} tenant={tenant} />,
    },
    {
      key: "rate",
      title: "Error rate",
      align: "right",
      width: "150px",
      cell: (row) => (
        <ShareBar share={row.errorRate ?? 0} tone="bad">
          {row.errorRate === null ? "–" : percentText(row.errorRate)}
        </ShareBar>
      ),
    },
    {
      key: "failed",
      title: "Failed",
      align: "right",
      width: "96px",
      cell: (row) => `${countText(row.failed)} of ${countText(row.runs)}`,
    },
    {
      key: "last",
      title: "Last error",
      width: "minmax(200px, 3fr)",
      cell: (row) => <LastError of={row.lastError} />,
    },
  ];
}

function LastError({ of }: { of: Row["lastError"] }) {
  if (!of) return <span className={styles.quiet}>–</span>;
  const message = of.message ?? "failed without a word";
  return (
    <span className={styles.lastError}>
      <Link href={paths.run(of.runId)} title={message}>
        {message.split("\n", 1)[0]}
      </Link>
      <span className={styles.quiet}>
        <Time at={of.startedAt} as="ago" />
      </span>
    </span>
  );
}
