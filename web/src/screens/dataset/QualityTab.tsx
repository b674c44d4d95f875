import { useState } from "react";
import type { Schemas } from "../../api/client";
import type { Name } from "../../model/nodes";
import { bytesText, countText, manyText, percentText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Select } from "../../ui/Field";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { Time } from "../../ui/Time";
import { TimeChart } from "../../ui/TimeChart";
import {
  type Check,
  columnPoints,
  datasetPoints,
  FIGURES,
  inOrder,
  isFailing,
  type Measured,
  measuredColumns,
} from "./checks";
import { CheckStrip, CheckTable } from "./CheckStrip";
import checksStyles from "./checks.module.css";
import styles from "./dataset.module.css";
import { useQuality } from "./Standing";

const FIRST = 1_000;
const MOST = 10_000;

export function QualityTab({ of }: { of: Name }) {
  const [events, setEvents] = useState(FIRST);
  const quality = useQuality(of, events);
  return (
    <Answer of={quality}>
      {({ assertions, metrics, truncated, lookedBackTo, eventsLookedAt }) => (
        <>
          {truncated && (
            <LookedBack
              events={eventsLookedAt}
              to={lookedBackTo}
              onMore={events < MOST ? () => setEvents(MOST) : undefined}
            />
          )}
          <Section title="Checks" note={assertions.length > 0 ? manyText(assertions.length, "check") : undefined} flush>
            {assertions.length === 0 ? (
              <Empty>
                No producer has told of checks. They come with the <code>dataQualityAssertions</code> facet: from dbt
                tests, Great Expectations, or a pipeline's rules.
              </Empty>
            ) : (
              <ul aria-label="Checks">
                {inOrder(assertions).map((check) => (
                  <CheckLine key={`${check.assertion} ${check.column}`} check={check} />
                ))}
              </ul>
            )}
          </Section>
          <Metrics metrics={metrics} />
        </>
      )}
    </Answer>
  );
}

export function LookedBack({ events, to, onMore }: { events: number; to: string | null; onMore?: () => void }) {
  return (
    <p className={styles.truncated}>
      The newest {countText(events)} events were looked at, back to <Time at={to} />.{" "}
      {onMore && <Button onClick={onMore}>Look further back</Button>}
    </p>
  );
}

function CheckLine({ check }: { check: Check }) {
  const [open, setOpen] = useState(false);
  const last = check.points.at(-1);
  return (
    <li className={checksStyles.check}>
      <div className={checksStyles.checkLine}>
        <span className={checksStyles.checkName}>
          <button type="button" className={styles.opener} aria-expanded={open} onClick={() => setOpen(!open)}>
            <span className={styles.chevron} aria-hidden="true" />
            {check.assertion}
          </button>
          {check.column && <code>{check.column}</code>}
          {check.severity && <span className={styles.quiet}>severity {check.severity.toLowerCase()}</span>}
        </span>
        <CheckStrip check={check} />
        <span className={checksStyles.checkState}>
          {isFailing(check) ? (
            <Badge tone="bad">
              failing since <Time at={check.failingSince} />
            </Badge>
          ) : check.success === null ? (
            <Badge>doesn't say</Badge>
          ) : (
            <Badge tone="ok">passing</Badge>
          )}
          {check.successRate !== null && check.failures > 0 && (
            <span className={styles.quiet}>{percentText(check.successRate)} passed</span>
          )}
        </span>
      </div>
      {isFailing(check) && (last?.actual ?? last?.expected) !== undefined && (
        <p className={styles.said}>
          {last?.expected !== undefined && <>expected {last.expected}</>}
          {last?.expected !== undefined && last.actual !== undefined && ", "}
          {last?.actual !== undefined && <>found {last.actual}</>}
        </p>
      )}
      {open && <CheckTable check={check} />}
    </li>
  );
}

const OF_DATASET = [
  { figure: "rowCount", title: "Rows", format: undefined },
  { figure: "bytes", title: "Bytes", format: bytesText },
  { figure: "fileCount", title: "Files", format: undefined },
] as const;

function Metrics({ metrics }: { metrics: Schemas["MetricsPoint"][] }) {
  const whole = OF_DATASET.map((one) => ({ ...one, points: datasetPoints(metrics, one.figure) })).filter(
    ({ points }) => points.length > 0,
  );
  if (metrics.length === 0) return null;
  return (
    <>
      {whole.length > 0 && (
        <Columns wide>
          {whole.map(({ figure, title, format, points }) => (
            <Section key={figure} title={title} note="as measured">
              <TimeChart label={title} series={[{ name: title, points }]} format={format} />
            </Section>
          ))}
        </Columns>
      )}
      <OfColumns metrics={metrics} />
    </>
  );
}

function OfColumns({ metrics }: { metrics: Measured[] }) {
  const [params, change] = useParams();
  const measured = measuredColumns(metrics);
  const names = [...measured.keys()];
  const column = names.find((name) => name === params.get("column")) ?? names[0];
  if (column === undefined) return null;
  return (
    <Section
      title="Measured of a column"
      actions={
        <Select
          label="Column"
          choices={names.map((name) => ({ value: name, title: name }))}
          value={column}
          onChoose={(value) => change({ column: value })}
        />
      }
    >
      <Columns>
        {(measured.get(column) ?? []).map((figure) => {
          const title = FIGURES.find(({ value }) => value === figure)?.title ?? figure;
          return (
            <div key={figure}>
              <h3>{title}</h3>
              <TimeChart
                label={`${column}: ${title}`}
                height={120}
                series={[{ name: title, points: columnPoints(metrics, column, figure) }]}
              />
            </div>
          );
        })}
      </Columns>
    </Section>
  );
}
