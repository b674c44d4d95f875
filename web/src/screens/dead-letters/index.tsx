import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { bytesText, manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { Tag } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer, Empty, ErrorNote } from "../../ui/States";
import { Time } from "../../ui/Time";
import { Letter } from "./Letter";
import styles from "./DeadLetters.module.css";

const PAGE = 100;
type Row = Schemas["DeadLetter"];

export default function DeadLetters() {
  const [params, setParams] = useParams();
  const opened = Number(params.get("letter")) || undefined;
  const offset = Number(params.get("offset")) || 0;
  const client = useQueryClient();
  const letters = query.useQuery("get", "/api/v1/dead-letters", { params: { query: { limit: PAGE, offset } } });
  const [gone, setGone] = useState<React.ReactNode>();
  const open = (letter: number | undefined) =>
    setParams({ letter: letter === undefined ? null : String(letter) }, { push: true });
  const renew = () => client.invalidateQueries({ queryKey: ["get", "/api/v1/dead-letters"] });
  const replayAll = query.useMutation("post", "/api/v1/dead-letters/replay", { onSettled: () => void renew() });
  const total = letters.data?.totalCount ?? 0;

  return (
    <Screen
      title="Dead letters"
      over={<Link href={paths.events()}>Events</Link>}
      actions={
        <Button
          disabled={total === 0 || replayAll.isPending}
          onClick={() => {
            setGone(undefined);
            replayAll.mutate({});
          }}
        >
          {replayAll.isPending ? "Replaying…" : "Replay all"}
        </Button>
      }
    >
      <p className={styles.intro}>
        Events that couldn't be taken, each with the reason. Mend one and replay it: it is then taken as if it had just
        been sent.
      </p>
      <div role="status" className={styles.status}>
        {gone}
        {replayAll.data && <Replayed of={replayAll.data} onOpen={open} />}
      </div>
      {replayAll.error != null && <ErrorNote error={replayAll.error} />}
      <div className={styles.both} data-open={opened !== undefined}>
        <div className={styles.list}>
          <Section title="Waiting" note={letters.data && manyText(total, "dead letter")} flush>
            <Answer of={letters} label="Reading dead letters">
              {(answer) =>
                answer.deadLetters.length === 0 ? (
                  <Empty action={<Link href={paths.events()}>Look at the events that were</Link>}>
                    Nothing waits here: every event that arrived was taken.
                  </Empty>
                ) : (
                  <ul className={styles.rows} aria-label="Dead letters">
                    {answer.deadLetters.map((one) => (
                      <Line key={one.id} of={one} isOpen={one.id === opened} onOpen={() => open(one.id)} />
                    ))}
                  </ul>
                )
              }
            </Answer>
            {total > PAGE && (
              <Pages
                offset={offset}
                total={total}
                onGo={(to) => setParams({ offset: String(to), letter: null }, { push: true })}
              />
            )}
          </Section>
        </div>
        {opened !== undefined && (
          <Letter
            key={opened}
            id={opened}
            onClose={() => open(undefined)}
            onChanged={() => void renew()}
            onGone={(said) => {
              setGone(said);
              replayAll.reset();
              open(undefined);
              void renew();
            }}
          />
        )}
      </div>
    </Screen>
  );
}

function Line({ of, isOpen, onOpen }: { of: Row; isOpen: boolean; onOpen: () => void }) {
  return (
    <li>
      <button type="button" className={styles.row} aria-current={isOpen ? "true" : undefined} onClick={onOpen}>
        <span className={styles.reason}>{of.reason}</span>
        <span className={styles.facts}>
          <span>#{of.id}</span>
          <Time at={of.receivedAt} as="ago" />
          <span>{of.source}</span>
          <span>{bytesText(of.size)}</span>
          {of.truncated && <Tag>cut</Tag>}
          {of.editedAt && <Tag>edited</Tag>}
        </span>
        <code className={styles.excerpt}>{of.excerpt}</code>
      </button>
    </li>
  );
}

function Replayed({ of, onOpen }: { of: Schemas["ReplayedLetters"]; onOpen: (letter: number) => void }) {
  return (
    <div className={styles.said} data-tone={of.failed > 0 ? "warn" : "ok"}>
      <p>
        {manyText(of.replayed, "letter")} replayed and taken{of.failed > 0 ? `, ${of.failed} still rejected:` : "."}
      </p>
      {of.errors.length > 0 && (
        <ul>
          {of.errors.slice(0, 10).map((one) => (
            <li key={one.id}>
              <Button look="bare" onClick={() => onOpen(one.id)}>
                #{one.id}
              </Button>
              {one.reason}
            </li>
          ))}
          {of.failed > 10 && <li>and {of.failed - 10} more</li>}
        </ul>
      )}
    </div>
  );
}

function Pages({ offset, total, onGo }: { offset: number; total: number; onGo: (offset: number) => void }) {
  return (
    <nav className={styles.pages} aria-label="Pages of dead letters">
      <Button disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - PAGE))}>
        Newer
      </Button>
      <span>
        {offset + 1} to {Math.min(offset + PAGE, total)} of {total}
      </span>
      <Button disabled={offset + PAGE >= total} onClick={() => onGo(offset + PAGE)}>
        Older
      </Button>
    </nav>
  );
}
