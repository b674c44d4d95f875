import { useQueries } from "@tanstack/react-query";
import { query } from "../../api/client";
import { manyText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { ErrorNote, Loading } from "../../ui/States";
import { JobTable } from "./JobTable";
import { joined, PAGE, useNeededPages } from "./pages";

interface Props {
  namespace: string;
  state: string;
  isFiltered: boolean;
}

/** All jobs, or those of a namespace, in the order of their names; fetched as far as they are looked at. */
export function AllJobs({ namespace, state, isFiltered }: Props) {
  const [pages, need] = useNeededPages(`${namespace}\n${state}`);
  const asked = (page: number) => ({
    limit: PAGE,
    offset: page * PAGE,
    lastRunStates: state ? [state] : undefined,
  });
  const answers = useQueries({
    queries: pages.map((page) =>
      namespace
        ? query.queryOptions("get", "/api/v1/namespaces/{namespace}/jobs", {
            params: { path: { namespace }, query: asked(page) },
          })
        : query.queryOptions("get", "/api/v1/jobs", { params: { query: asked(page) } }),
    ),
  });
  const [first] = answers;
  const total = first?.data?.totalCount;
  const rows = joined(
    pages.map((page, at) => ({ page, rows: answers[at]?.data?.jobs.map((job) => ({ of: job.id, job })) })),
  );
  return (
    <Section title="All jobs" note={total !== undefined && manyText(total, "job")} flush>
      {total !== undefined ? (
        <JobTable
          rows={rows}
          total={total}
          onNeed={need}
          empty={
            isFiltered
              ? "No job is like that. Choose another namespace or state."
              : "No jobs yet. They appear with the first event; the home screen shows how to send one."
          }
        />
      ) : first?.error ? (
        <ErrorNote error={first.error} retry={() => void first.refetch()} />
      ) : (
        <Loading label="Reading jobs" />
      )}
    </Section>
  );
}
