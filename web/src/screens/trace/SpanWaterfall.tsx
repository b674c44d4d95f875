import { useDeferredValue, useEffect, useMemo, useRef } from "react";
import type { Schemas } from "../../api/client";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { Waterfall } from "../../ui/Waterfall";
import { SpanDetails } from "./SpanDetails";
import { colorsOf, foundSpans, nextFound, rowsOf, type Shown } from "./spans";
import styles from "./trace.module.css";
import { useParam } from "../../model/params";

const SHOWN: { value: Shown; title: string }[] = [
  { value: "all", title: "all spans" },
  { value: "critical", title: "the critical path" },
  { value: "failed", title: "failed spans" },
];

const PART: (typeof SHOWN)[number] = { value: "run", title: "this run's part" };

interface Props {
  trace: Schemas["Trace"];
  /** The span that stands for the run that is looked at. */
  own?: string | null;
  maxHeight?: number;
}

/** All spans of a trace over time, to search and to choose from; beside them what the chosen one says. */
export function SpanWaterfall({ trace, own, maxHeight }: Props) {
  const [chosen, setChosen] = useParam("span");
  const [words, setWords] = useParam("q");
  // A run that is the whole of its trace has no part.
  const isPart = trace.spans.some((span) => span.spanId === own && span !== trace.spans[0]);
  const choices = isPart ? [PART, ...SHOWN] : SHOWN;
  const [asked, setShown] = useParam("show", isPart ? "run" : "all");
  const shown = choices.find((one) => one.value === asked)?.value ?? "all";
  const looked = useDeferredValue(words);
  const rows = useMemo(() => rowsOf(trace, shown, own ?? ""), [trace, shown, own]);
  const found = useMemo(() => foundSpans(trace.spans, looked), [trace, looked]);
  const colors = useMemo(() => colorsOf(trace.services), [trace]);
  const span = trace.spans.find((one) => one.spanId === chosen);
  const box = useRef<HTMLDivElement>(null);
  const isThere = span !== undefined;
  // A link to a span brings it into sight, wherever on the screen it stands.
  useEffect(() => {
    if (isThere) box.current?.scrollIntoView({ block: "nearest" });
  }, [isThere, chosen]);
  const go = (by: 1 | -1) => {
    const next = found && nextFound(rows, found, chosen || undefined, by);
    if (next) setChosen(next);
  };
  return (
    <div ref={box} className={styles.split} data-open={span ? true : undefined}>
      <div className={styles.drawing}>
        <Waterfall
          label="Spans of the trace"
          rows={rows}
          chosen={chosen || undefined}
          onChoose={setChosen}
          found={found}
          maxHeight={maxHeight}
          tools={
            <>
              <Select label="Show" quiet choices={choices} value={shown} onChoose={setShown} />
              <TextField
                label="Find in spans"
                quiet
                type="search"
                placeholder="Find in spans"
                value={words}
                onChange={(event) => setWords(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
                }}
              />
              {found && (
                <span className={styles.found} role="status">
                  {found.size} of {trace.spans.length}
                  <Button look="bare" aria-label="Span before" disabled={found.size === 0} onClick={() => go(-1)}>
                    ↑
                  </Button>
                  <Button look="bare" aria-label="Next span" disabled={found.size === 0} onClick={() => go(1)}>
                    ↓
                  </Button>
                </span>
              )}
            </>
          }
        />
        <p className={styles.legend}>
          {trace.services.map((service) => (
            <span key={service}>
              <i style={{ background: `var(${colors.get(service)})` }} aria-hidden="true" />
              {service}
            </span>
          ))}
          <span>
            <i className={styles.criticalKey} aria-hidden="true" />
            critical path: what decided when it ended
          </span>
        </p>
        {rows.length === 0 && <p className={styles.none}>No span of that kind.</p>}
      </div>
      {span && <SpanDetails span={span} traceId={trace.traceId} onClose={() => setChosen("")} />}
    </div>
  );
}
