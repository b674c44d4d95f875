import { Link } from "wouter";
import { paths } from "../../model/nodes";
import { durationText } from "../../model/times";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Facts } from "../../ui/Section";
import { Time } from "../../ui/Time";
import { type Span, valueText } from "./spans";
import styles from "./trace.module.css";

interface Props {
  span: Span;
  traceId: string;
  onClose: () => void;
}

const MARKS = [
  ["orphan", "its parent has not arrived"],
  ["cycle", "it names a parent that is inside of it"],
  ["outsideParent", "it starts before its parent or ends after it"],
] as const;

export function SpanDetails({ span, traceId, onClose }: Props) {
  const ms = (ns: number) => durationText(ns / 1e6);
  const run = span.runId ?? span.pipelineRunId;
  const marks = MARKS.filter(([mark]) => span[mark]).map(([, text]) => text);
  return (
    <aside className={styles.details} aria-label="Chosen span">
      <header>
        <h3>{span.name}</h3>
        <Button look="bare" aria-label="Close details" onClick={onClose}>
          ✕
        </Button>
      </header>
      {span.status === "ERROR" && (
        <p className={styles.failure}>
          <Badge tone="bad">failed</Badge> {span.statusMessage}
        </p>
      )}
      <Facts
        facts={[
          ["Service", span.service || "–"],
          ["Kind", span.kind.toLowerCase()],
          ["Duration", ms(span.durationNs)],
          ["By itself", ms(span.selfNs)],
          ["Of the critical path", span.criticalNs > 0 ? ms(span.criticalNs) : "no part"],
          ["Started", <Time key="at" at={span.startedAt} as="second" />],
          ["After the start", ms(span.offsetNs)],
          ...(run ? ([["Run", <Link href={paths.run(run)}>{run}</Link>]] satisfies [string, React.ReactNode][]) : []),
          ["Span", <code key="id">{span.spanId}</code>],
        ]}
      />
      {marks.length > 0 && <p className={styles.mark}>Note: {marks.join("; ")}.</p>}
      <Attributes title="Attributes" of={span.attributes} />
      {span.events.length > 0 && (
        <section>
          <h4>Events</h4>
          <ol className={styles.events}>
            {span.events.map((event, at) => (
              <li key={at}>
                <span className={styles.offset}>+{ms(event.offsetNs - span.offsetNs)}</span> {event.name}
                <Attributes of={event.attributes} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {span.links.length > 0 && (
        <section>
          <h4>Links</h4>
          <ul>
            {span.links.map((link, at) => (
              <li key={at}>
                <Link href={`${paths.trace(link.traceId)}?span=${link.spanId}`}>
                  span {link.spanId} of {link.traceId === traceId ? "this trace" : `trace ${link.traceId.slice(0, 8)}…`}
                </Link>
                <Attributes of={link.attributes} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Attributes title="Resource" of={span.resourceAttributes} />
    </aside>
  );
}

const LONG = 160;

function Attributes({ title, of }: { title?: string; of: Record<string, unknown> }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <section>
      {title && <h4>{title}</h4>}
      <dl className={styles.attributes}>
        {entries.map(([name, value]) => {
          const text = valueText(value);
          const isLong = text.length > LONG || text.includes("\n");
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{isLong ? <Code text={text} label={name} maxHeight={220} /> : text}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
