// What a screen shows before it has an answer, when there is none, and when there is nothing.
import type { UseQueryResult } from "@tanstack/react-query";
import { problemOf } from "../api/client";
import { Button } from "./Button";
import styles from "./States.module.css";

export function Loading({ label = "Loading" }: { label?: string }) {
  return (
    <div className={styles.loading} role="status" aria-busy="true">
      <span className={styles.bar} aria-hidden="true" />
      <span>{label}…</span>
    </div>
  );
}

export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = problemOf(error);
  return (
    <div className={styles.error} role="alert">
      <p>{problem.message}</p>
      {problem.action && <p className={styles.action}>{problem.action}</p>}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function Empty({ children, action }: { children: React.ReactNode; action?: React.ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {action}
    </div>
  );
}

interface AnswerProps<T> {
  of: Pick<UseQueryResult<T, unknown>, "data" | "error" | "isPending" | "refetch">;
  label?: string;
  children: (data: T) => React.ReactNode;
}

/** The answer of a question; what is known already stays in sight while it is asked again. */
export function Answer<T>({ of, label, children }: AnswerProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <ErrorNote error={of.error} retry={() => void of.refetch()} />;
  return <Loading label={label} />;
}
