import { keepPreviousData } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { query } from "../../api/client";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { useAsked } from "../telemetry/asked";
import { NothingYet, NoTelemetry } from "../telemetry/HowToSend";
import { TelemetryScreen, useTime } from "../telemetry/TelemetryScreen";
import { conditionsOf, isPlain, PAGE, questionOf, withPick } from "./question";
import { TraceComparison } from "./TraceComparison";
import { TraceFilters } from "./TraceFilters";
import { TraceScatter } from "./TraceScatter";
import { TraceTable } from "./TraceTable";
import styles from "./traces.module.css";

export default function Traces() {
  return (
    <TelemetryScreen title="Traces">
      <Search />
    </TelemetryScreen>
  );
}

function Search() {
  const { within, from, to } = useTime();
  const [params, ask] = useAsked();
  const [, navigate] = useLocation();
  const asked = questionOf(params);
  const question = query.useQuery(
    "get",
    "/api/v1/traces",
    { params: { query: { ...within, ...conditionsOf(asked) } } },
    { placeholderData: keepPreviousData },
  );
  if (question.error) return <NoTelemetry error={question.error} retry={() => void question.refetch()} />;
  if (!question.data) return <Loading />;
  const { traces, totalCount } = question.data;
  if (totalCount === 0 && isPlain(asked)) return <NothingYet what="trace" />;
  const picked = params.getAll("pick").slice(0, 2);
  const [first, second] = picked;
  return (
    <>
      <TraceFilters question={asked} />
      <Section
        title={manyText(totalCount, "trace")}
        note="the latest first"
        actions={
          <>
            {first && !second && <span className={styles.quiet}>Choose another one to compare.</span>}
            {first && second && (
              <>
                <Button look="bare" onClick={() => ask({ pick: null })}>
                  Choose others
                </Button>
                <Button look="main" onClick={() => ask({ compare: "true" })}>
                  Compare the two
                </Button>
              </>
            )}
          </>
        }
        flush
      >
        {traces.length > 0 && (
          <div className={styles.plot}>
            <TraceScatter
              traces={traces}
              from={from}
              to={to}
              picked={picked}
              onOpen={(id) => navigate(paths.trace(id))}
              onNarrow={(start, end, leastMs) =>
                ask({
                  from: new Date(start).toISOString(),
                  to: new Date(end).toISOString(),
                  page: null,
                  ...(leastMs > 0 ? { min: String(Number(leastMs.toPrecision(3))) } : {}),
                })
              }
            />
          </div>
        )}
        <TraceTable traces={traces} picked={picked} onPick={(id) => ask({ pick: withPick(picked, id) })} />
        <Pages
          page={asked.page}
          shown={traces.length}
          total={totalCount}
          onTurn={(page) => ask({ page: page > 1 ? String(page) : null })}
        />
      </Section>
      {first && second && params.get("compare") === "true" && (
        <TraceComparison
          from={first}
          to={second}
          onSwap={() => ask({ pick: [second, first] })}
          onClose={() => ask({ compare: null })}
        />
      )}
    </>
  );
}

interface PagesProps {
  page: number;
  shown: number;
  total: number;
  onTurn: (page: number) => void;
}

function Pages({ page, shown, total, onTurn }: PagesProps) {
  if (total <= PAGE && page === 1) return null;
  const first = (page - 1) * PAGE;
  return (
    <nav className={styles.pages} aria-label="Pages of traces">
      <span>
        {shown > 0
          ? `${countText(first + 1)} to ${countText(first + shown)} of ${countText(total)}`
          : "Nothing on this page."}
      </span>
      <div>
        <Button disabled={page === 1} onClick={() => onTurn(page - 1)}>
          Later
        </Button>
        <Button disabled={first + PAGE >= total} onClick={() => onTurn(page + 1)}>
          Earlier
        </Button>
      </div>
    </nav>
  );
}
