import { Link } from "wouter";
import { query } from "../../api/client";
import { type Name, paths } from "../../model/nodes";
import { toneOf } from "../../model/states";
import { durationText } from "../../model/times";
import { Badge } from "../../ui/Badge";
import { standingOf } from "./checks";
import styles from "./dataset.module.css";
import { pathOf } from "./dataset-path";

export function useFreshness(of: Name) {
  return query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/freshness", {
    params: { path: pathOf(of), query: { learned: true } },
  });
}

export function useQuality(of: Name, events: number) {
  return query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/quality", {
    params: { path: pathOf(of), query: { limit: events } },
  });
}

/** Is it fresh, and is it good: two badges, each a link to why. Nothing stands here until it is known. */
export function Standing({ of }: { of: Name }) {
  const { data: freshness } = useFreshness(of);
  const { data: quality } = useQuality(of, 1_000);
  const checks = quality && standingOf(quality.assertions);
  const at = paths.dataset(of);
  return (
    <div className={styles.standing}>
      {freshness && freshness.state !== "unknown" && (
        <Link href={`${at}?tab=freshness`}>
          <Badge tone={toneOf(freshness.state)}>
            {freshness.state === "late" && freshness.lateS !== null
              ? `late by ${durationText(freshness.lateS * 1000)}`
              : freshness.state}
            {freshness.setAt === null && ", by its habit"}
          </Badge>
        </Link>
      )}
      {checks && (
        <Link href={`${at}?tab=quality`}>
          <Badge tone={checks.tone}>{checks.text}</Badge>
        </Link>
      )}
    </div>
  );
}
