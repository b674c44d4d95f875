import { problemOf } from "../../api/client";
import { Empty, ErrorNote } from "../../ui/States";

const NOT_HERE = [404, 501, 503];

/** What isn't here is no failure: it says how to get it. Anything else is an error. */
export function Missing({ error, retry }: { error: unknown; retry: () => void }) {
  const problem = problemOf(error);
  if (!NOT_HERE.includes(problem.code)) return <ErrorNote error={error} retry={retry} />;
  return (
    <Empty>
      {sentence(problem.message)} {problem.action && sentence(problem.action)}
    </Empty>
  );
}

function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(first) ? first : `${first}.`;
}
