import { keepPreviousData } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { countText } from "../../model/numbers";
import type { Tone } from "../../model/states";
import { paths } from "../../model/nodes";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { Section } from "../../ui/Section";
import { Empty, Loading } from "../../ui/States";
import { Time } from "../../ui/Time";
import { Missing } from "./Missing";
import { valueText } from "./spans";
import styles from "./trace.module.css";
import { useParam } from "../../model/params";

const LEAST = ["", "DEBUG", "INFO", "WARN", "ERROR"] as const;
const ORDERS = [
  { value: "asc", title: "first at the top" },
  { value: "desc", title: "last at the top" },
];
const STEP = 200;
const MOST = 10_000;

interface Props {
  of: { run: string } | { trace: string };
  /** Asked again and again while something is at work. */
  live?: boolean;
}

export function Logs({ of, live = false }: Props) {
  const [severity, setSeverity] = useParam("severity");
  const [words, setWords] = useParam("words");
  const [order, setOrder] = useParam("order", "asc");
  const [limit, setLimit] = useState(STEP);
  const looked = useDeferredValue(words);
  const answer = query.useQuery(
    "get",
    "/api/v1/logs",
    {
      params: {
        query: {
          ...of,
          severity: severity || undefined,
          // What has no letter and no digit is no word yet.
          words: /[\p{L}\p{N}]/u.test(looked) ? looked : undefined,
          sortDirection: order,
          limit,
        },
      },
    },
    { placeholderData: keepPreviousData, refetchInterval: live ? 3_000 : false },
  );
  const total = answer.data?.totalCount ?? 0;
  const isFiltered = severity !== "" || looked !== "";
  return (
    <Section
      title="Logs"
      note={answer.data ? countText(total) : undefined}
      flush
      actions={
        <>
          <TextField
            label="Words in logs"
            quiet
            type="search"
            placeholder="Words"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <Select
            label="Least severity"
            quiet
            value={severity}
            onChoose={setSeverity}
            choices={LEAST.map((value) => ({
              value,
              title: value ? `${value.toLowerCase()} and worse` : "all severities",
            }))}
          />
          <Select label="Order" quiet value={order} onChoose={setOrder} choices={ORDERS} />
        </>
      }
    >
      {answer.data ? (
        answer.data.logs.length === 0 ? (
          <Empty>
            {isFiltered
              ? "No log meets these conditions."
              : "No logs. Send them by OTLP to /v1/logs from inside of a span, or with the attribute openlineage.run_id."}
          </Empty>
        ) : (
          <>
            <ol className={styles.logs} aria-label="Logs">
              {answer.data.logs.map((log, at) => (
                <LogLine key={`${log.at} ${at}`} log={log} />
              ))}
            </ol>
            {total > answer.data.logs.length && limit < MOST && (
              <div className={styles.more}>
                <Button onClick={() => setLimit(Math.min(limit + 4 * STEP, MOST))}>
                  Show more ({countText(total - answer.data.logs.length)} left)
                </Button>
              </div>
            )}
          </>
        )
      ) : answer.error ? (
        <Missing error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Looking for logs" />
      )}
    </Section>
  );
}

export function severityTone(severityNumber: number): Tone {
  return severityNumber >= 17 ? "bad" : severityNumber >= 13 ? "warn" : "idle";
}

function LogLine({ log }: { log: Schemas["Log"] }) {
  const body = valueText(log.body);
  const [first = ""] = body.split("\n", 1);
  return (
    <li>
      <details>
        <summary>
          <Time at={log.at} as="second" />
          <Badge tone={severityTone(log.severityNumber)}>{log.severity.toLowerCase() || "log"}</Badge>
          <span className={styles.body}>{log.eventName ? `${log.eventName} ${first}` : first}</span>
          <span className={styles.service}>{log.service}</span>
        </summary>
        <pre tabIndex={0}>{body}</pre>
        <dl className={styles.attributes}>
          {log.traceId && (
            <div>
              <dt>span</dt>
              <dd>
                <Link href={`${paths.trace(log.traceId)}${log.spanId ? `?span=${log.spanId}` : ""}`}>
                  {log.spanId ?? log.traceId}
                </Link>
              </dd>
            </div>
          )}
          {Object.entries({ ...log.attributes, ...log.resourceAttributes }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{valueText(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}
