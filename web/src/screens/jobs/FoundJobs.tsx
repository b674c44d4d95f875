import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { query } from "../../api/client";
import { countText, manyText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { JobTable } from "./JobTable";

// Each that is found is asked for by itself: what search tells is no run.
const MOST = 50;

interface Props {
  words: string;
  namespace: string;
  state: string;
}

/** Jobs that the words find, the best first. */
export function FoundJobs({ words, namespace, state }: Props) {
  const answer = query.useQuery(
    "get",
    "/api/v1/search",
    {
      params: {
        query: {
          q: words,
          filter: "job",
          namespace: namespace || undefined,
          state: state ? [state] : undefined,
          limit: MOST,
        },
      },
    },
    { placeholderData: keepPreviousData },
  );
  const results = answer.data?.results ?? [];
  const jobs = useQueries({
    queries: results.map((one) =>
      query.queryOptions("get", "/api/v1/namespaces/{namespace}/jobs/{job}", {
        params: { path: { namespace: one.namespace, job: one.name } },
      }),
    ),
  });
  return (
    <Section
      title="Found"
      note={
        answer.data &&
        (answer.data.totalCount > results.length
          ? `the best ${countText(results.length)} of ${countText(answer.data.totalCount)}`
          : manyText(answer.data.totalCount, "job"))
      }
      flush
    >
      <Answer of={answer} label="Searching">
        {() => (
          <JobTable
            rows={results.map((one, at) => ({ of: { namespace: one.namespace, name: one.name }, job: jobs[at]?.data }))}
            total={results.length}
            empty="No job has these words. Fewer words, or other ones, find more."
          />
        )}
      </Answer>
    </Section>
  );
}
