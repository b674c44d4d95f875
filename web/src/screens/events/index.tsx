import { useEffect, useMemo } from "react";
import { Link } from "wouter";
import { paths } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { ErrorNote, Loading } from "../../ui/States";
import { Time } from "../../ui/Time";
import { EventTable } from "./EventTable";
import { Filters } from "./Filters";
import { type Filter, isFiltering, keeps, KINDS, withoutRepeats } from "./rows";
import { useStoredEvents, useTail } from "./useEvents";
import styles from "./Events.module.css";

// Text is looked for in what was fetched: more is fetched by itself until this many events were looked through.
const LOOKED_THROUGH = 2000;
const ENOUGH = 50;

export default function Events() {
  const [params, setParams] = useParams();
  const filter: Filter = {
    kind: KINDS.find((one) => one === params.get("kind")) ?? "",
    type: params.get("type") ?? "",
    text: params.get("q") ?? "",
  };
  const window = { after: params.get("after") ?? undefined, before: params.get("before") ?? undefined };
  const set = (name: string, value: string) => setParams({ [name]: value });

  const { pages, rows: stored, total, horizon } = useStoredEvents(window);
  const canTail = window.before === undefined;
  const live = useTail(canTail, (row) => keeps(filter, row));
  const { tail } = live;
  const { kind, type, text } = filter;
  const rows = useMemo(() => {
    const wanted = { kind, type, text };
    return withoutRepeats([...tail.shown, ...stored].filter((row) => keeps(wanted, row)));
  }, [tail.shown, stored, kind, type, text]);
  const filtering = isFiltering(filter);
  const { hasNextPage, isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (filtering && hasNextPage && !isFetching && rows.length < ENOUGH && stored.length < LOOKED_THROUGH)
      void fetchNextPage();
  }, [filtering, hasNextPage, isFetching, rows.length, stored.length, fetchNextPage]);

  return (
    <Screen
      title="Events"
      actions={
        <Link className={styles.letters} href={paths.deadLetters()}>
          Dead letters
        </Link>
      }
    >
      <Filters filter={filter} window={window} onChange={set} />
      <Section
        title="Newest first"
        note={
          pages.data &&
          (filtering
            ? `${manyText(rows.length, "match", "matches")} in ${countText(stored.length)} of ${manyText(total, "event")}`
            : manyText(total + tail.shown.length, "event"))
        }
        actions={
          canTail ? <TailButtons live={live} /> : <span className={styles.quiet}>no live tail before a moment</span>
        }
        flush
      >
        {tail.lost > 0 && (
          <p className={styles.gap} role="status">
            {manyText(tail.lost, "event")} came too quickly to be kept here.{" "}
            <Button
              onClick={() => {
                live.clear();
                void pages.refetch();
              }}
            >
              Load the list again
            </Button>
          </p>
        )}
        {pages.error ? (
          <ErrorNote error={pages.error} retry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Loading label="Reading events" />
        ) : (
          <EventTable
            rows={rows}
            hasMore={hasNextPage && !filtering}
            onMore={() => !isFetching && void fetchNextPage()}
            isFiltering={filtering || Boolean(window.after ?? window.before)}
          />
        )}
        {filtering && hasNextPage && (
          <p className={styles.gap}>
            Kind, type and text are looked for in the {countText(stored.length)} newest events so far.{" "}
            <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
              {isFetching ? "Looking further…" : "Look further"}
            </Button>
          </p>
        )}
        {horizon !== undefined && !hasNextPage && (
          <p className={styles.gap}>
            Before <Time at={horizon} /> only the events stay that the present rests on.
          </p>
        )}
      </Section>
    </Screen>
  );
}

function TailButtons({ live }: { live: ReturnType<typeof useTail> }) {
  const { tail, state, pause, resume } = live;
  return (
    <>
      <span role="status">
        {tail.isPaused ? (
          <Badge tone="idle">paused, {countText(tail.waiting.length)} new</Badge>
        ) : state === "lost" ? (
          <Badge tone="warn" title="The page comes back by itself when the hub answers.">
            connection lost
          </Badge>
        ) : (
          <Badge tone={state === "live" ? "ok" : "idle"}>
            {state === "live" ? "live" : "connecting"}
            {tail.shown.length > 0 && `, ${countText(tail.shown.length)} new`}
          </Badge>
        )}
      </span>
      <Button onClick={tail.isPaused ? resume : pause}>{tail.isPaused ? "Resume" : "Pause"}</Button>
    </>
  );
}
