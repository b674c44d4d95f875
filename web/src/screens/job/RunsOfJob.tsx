import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { query, type Schemas } from "../../api/client";
import { type Name, paths, shortRun } from "../../model/nodes";
import { countText, manyText, shortText } from "../../model/numbers";
import { durationText } from "../../model/times";
import { Badge, StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Select } from "../../ui/Field";
import { RunTimeline } from "../../ui/RunTimeline";
import { Section } from "../../ui/Section";
import { Answer, Empty, ErrorNote, Loading } from "../../ui/States";
import { type Column, Table } from "../../ui/Table";
import { Duration, Time } from "../../ui/Time";
import { joined, PAGE, useNeededPages } from "../jobs/pages";
import { useNarrow } from "../jobs/useNarrow";
import { LinkButton } from "../../ui/LinkButton";
import { useParam } from "../../model/params";
import styles from "./job.module.css";
import { inOrder, rowOf, type RunRow, withPick } from "./runRows";

const LENGTHS = ["50", "100", "300", "1000"] as const;

interface Props {
  job: Name;
}

/** The history of a job: its runs over time against what is usual, and the same as a list. */
export function RunsOfJob({ job }: Props) {
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [asked, setLength] = useParam("runs", "100");
  const length = LENGTHS.find((one) => one === asked) ?? "100";
  const [, navigate] = useLocation();
  const timeline = query.useQuery("get", "/api/v1/namespaces/{namespace}/jobs/{job}/timeline", {
    params: { path: { namespace: job.namespace, job: job.name }, query: { limit: Number(length) } },
  });
  return (
    <>
      <Section
        title="History"
        note={timeline.data && historyNote(timeline.data)}
        actions={
          <Select
            label="Runs shown"
            quiet
            value={length}
            onChoose={setLength}
            choices={LENGTHS.map((value) => ({ value, title: `last ${value} runs` }))}
          />
        }
      >
        <Answer of={timeline} label="Reading the history">
          {(found) =>
            found.runs.length === 0 ? (
              <Empty>No run has told when it started.</Empty>
            ) : (
              <RunTimeline
                label="Runs over time, by duration"
                runs={found.runs}
                usual={found.durations}
                gaps={found.gaps.long}
                marked={picked}
                onOpen={(run) => navigate(paths.run(run.id))}
                told={(run) => run.rowsWritten !== null && <div>{countText(run.rowsWritten)} rows written</div>}
              />
            )
          }
        </Answer>
      </Section>
      <RunList job={job} picked={picked} onPick={setPicked} timeline={timeline.data} />
    </>
  );
}

function historyNote({ gaps, durations, totalCount }: Schemas["Timeline"]): string {
  const words = [manyText(totalCount, "run")];
  if (gaps.p50S !== null) words.push(`one every ${durationText(gaps.p50S * 1000)}`);
  if (durations.p50Ms !== null) words.push(`usually ${durationText(durations.p50Ms)} long`);
  return words.join(", ");
}

const NARROW = ["pick", "state", "at", "took", "run"];

interface ListProps extends Props {
  picked: readonly string[];
  onPick: (picked: readonly string[]) => void;
  timeline: Schemas["Timeline"] | undefined;
}

function RunList({ job, picked, onPick, timeline }: ListProps) {
  const [expanded, setExpanded] = useParam("batches");
  const expand = expanded !== "";
  const [pages, need] = useNeededPages(`${job.namespace}\n${job.name}\n${expand}`);
  const answers = useQueries({
    queries: pages.map((page) =>
      query.queryOptions("get", "/api/v1/namespaces/{namespace}/jobs/{job}/runs", {
        params: {
          path: { namespace: job.namespace, job: job.name },
          query: { limit: PAGE, offset: page * PAGE, expand },
        },
      }),
    ),
  });
  const [first] = answers;
  const rows = joined(pages.map((page, at) => ({ page, rows: answers[at]?.data?.runs.map(rowOf) })));
  const long = useMemo(
    () => new Set(timeline?.runs.filter((run) => run.longerThanUsual).map((run) => run.id)),
    [timeline],
  );
  const isStream = expand || rows.some((row) => row.stretch !== undefined);
  const narrow = useNarrow();
  const all = columns(picked, (id) => onPick(withPick(picked, id)), long);
  const [older, newer] = inOrder(
    picked,
    rows.filter(Boolean).map((row) => row.run),
  );
  return (
    <Section
      title="Runs"
      note={
        first?.data &&
        manyText(
          first.data.totalCount,
          isStream && !expand ? "stretch" : "run",
          isStream && !expand ? "stretches" : "runs",
        )
      }
      flush
      actions={
        <>
          {isStream && (
            <Button pressed={expand} onClick={() => setExpanded(expand ? "" : "each")}>
              Each batch by itself
            </Button>
          )}
          {older && newer ? (
            <LinkButton href={paths.compareRuns(older, newer)}>Compare the two runs</LinkButton>
          ) : (
            <span className={styles.hint}>Choose two runs to compare them</span>
          )}
        </>
      }
    >
      {first?.data ? (
        <Table<RunRow>
          label="Runs"
          rows={rows}
          total={first.data.totalCount}
          onNeed={need}
          height={520}
          keyOf={({ run }) => run.id}
          empty="It never ran, as far as events tell."
          columns={narrow ? all.filter((column) => NARROW.includes(column.key)) : all}
        />
      ) : first?.error ? (
        <ErrorNote error={first.error} retry={() => void first.refetch()} />
      ) : (
        <Loading label="Reading runs" />
      )}
    </Section>
  );
}

function columns(picked: readonly string[], pick: (id: string) => void, long: ReadonlySet<string>): Column<RunRow>[] {
  return [
    {
      key: "pick",
      title: <span className="visually-hidden">Compare</span>,
      width: "20px",
      cell: ({ run }) => (
        <input
          type="checkbox"
          aria-label={`Compare run ${run.id}`}
          checked={picked.includes(run.id)}
          onChange={() => pick(run.id)}
        />
      ),
    },
    { key: "state", title: "State", width: "104px", cell: ({ run }) => <StateBadge state={run.state} /> },
    { key: "at", title: "Started", width: "132px", cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      key: "took",
      title: "Duration",
      align: "right",
      width: "104px",
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
    },
    {
      key: "note",
      title: <span className="visually-hidden">Note</span>,
      width: "minmax(100px, 1fr)",
      cell: ({ run, stretch }) =>
        stretch ?? (long.has(run.id) ? <Badge tone="warn">longer than usual</Badge> : (run.error?.message ?? "")),
    },
    { key: "read", title: "Rows read", align: "right", width: "80px", cell: ({ rowsRead }) => <Rows of={rowsRead} /> },
    {
      key: "written",
      title: "Rows written",
      align: "right",
      width: "88px",
      cell: ({ rowsWritten }) => <Rows of={rowsWritten} />,
    },
    {
      key: "run",
      title: "Run",
      width: "88px",
      cell: ({ run }) => (
        <Link href={paths.run(run.id)} title={run.id}>
          <code>{shortRun(run.id)}</code>
        </Link>
      ),
    },
  ];
}

function Rows({ of }: { of: number | null }) {
  return of === null ? <>–</> : <span title={countText(of)}>{shortText(of)}</span>;
}
