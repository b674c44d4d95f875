import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { problemOf, query, type Schemas } from "../../api/client";
import { paths } from "../../model/nodes";
import { bytesText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { Code } from "../../ui/Code";
import { Dialog } from "../../ui/Dialog";
import { Facts, Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { Time } from "../../ui/Time";
import { Editor } from "./Editor";
import styles from "./DeadLetters.module.css";

type Told = Schemas["DeadLetterAnswer"];
const LETTER = "/api/v1/dead-letters/{letter_id}";
// A field of many megabytes makes the browser stall at every key.
const MOST_EDITED = 2_000_000;

interface Props {
  id: number;
  onClose: () => void;
  onChanged: () => void;
  onGone: (said: React.ReactNode) => void;
}

export function Letter(props: Props) {
  const { id, onClose } = props;
  const letter = query.useQuery(
    "get",
    LETTER,
    { params: { path: { letter_id: id } } },
    { refetchOnWindowFocus: false },
  );
  return (
    <Section
      title={`Dead letter ${id}`}
      actions={
        <Button look="bare" onClick={onClose}>
          All dead letters
        </Button>
      }
    >
      <Answer of={letter} label="Reading the dead letter">
        {(told) => <Opened told={told} {...props} />}
      </Answer>
    </Section>
  );
}

function Opened({ told, id, onChanged, onGone }: Props & { told: Told }) {
  const client = useQueryClient();
  const [body, setBody] = useState(told.body);
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState<{ message: string; action: string | null; isGood: boolean }>();
  const params = { params: { path: { letter_id: id } } };
  const save = query.useMutation("patch", LETTER);
  const replay = query.useMutation("post", "/api/v1/dead-letters/{letter_id}/replay");
  const drop = query.useMutation("delete", LETTER);
  const isBusy = save.isPending || replay.isPending || drop.isPending;
  const isChanged = body !== told.body;
  const isText = told.encoding === "utf-8";
  const isEditable = isText && told.body.length <= MOST_EDITED;

  const renewed = async () => {
    await client.invalidateQueries({ queryKey: ["get", LETTER, params] });
    onChanged();
  };
  const failed = (error: unknown) => setSaid({ ...problemOf(error), isGood: false });
  const onSave = async (): Promise<boolean> => {
    try {
      await save.mutateAsync({ ...params, body: { body } });
      await renewed();
      setSaid({ message: "Saved. Replay it to have it taken.", action: null, isGood: true });
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  const onReplay = async () => {
    if (isChanged && !(await onSave())) return;
    try {
      onGone(<Taken by={id} of={await replay.mutateAsync(params)} />);
    } catch (error) {
      const { message, action } = problemOf(error);
      setSaid({ message: `Still rejected: ${message}`, action, isGood: false });
      await renewed();
    }
  };
  const onDelete = async () => {
    setAsking(false);
    try {
      await drop.mutateAsync(params);
      onGone(<p className={styles.said}>Dead letter {id} was deleted.</p>);
    } catch (error) {
      failed(error);
    }
  };

  return (
    <div className={styles.letter}>
      <div className={styles.said} data-tone="bad">
        <p>{told.reason}</p>
        {told.subject != null && told.subject !== "" && (
          <p className={styles.subject}>
            about <code>{told.subject}</code>
          </p>
        )}
        {told.truncated && (
          <p className={styles.subject}>
            Only the beginning of {bytesText(told.size)} was kept: send it again in smaller requests, or put the whole
            body here.
          </p>
        )}
      </div>
      <Facts
        facts={[
          ["Received", <Time key="at" at={told.receivedAt} as="second" />],
          ["Came by", told.source],
          ["Kind of error", <code key="error">{told.error}</code>],
          ["Tenant", told.tenant],
          ["Size", bytesText(told.size)],
          ...(told.editedAt
            ? ([["Edited", <Time key="edited" at={told.editedAt} as="second" />]] as [string, React.ReactNode][])
            : []),
        ]}
      />
      {isEditable ? (
        <Editor label="Body" value={body} onChange={setBody} />
      ) : (
        <>
          <Code
            label={
              isText ? "Body, too large to be edited here" : "Body in base64: it isn't text, and can't be edited here"
            }
            text={told.body.slice(0, MOST_EDITED)}
          />
          <p className={styles.subject}>
            <code>lineage-hub dead-letters edit {id} --file FILE</code> puts another body in its place.
          </p>
        </>
      )}
      <div role="status" className={styles.status}>
        {said && (
          <div className={styles.said} data-tone={said.isGood ? "ok" : "bad"}>
            <p>{said.message}</p>
            {said.action && <p className={styles.subject}>{said.action}</p>}
          </div>
        )}
      </div>
      <div className={styles.buttons}>
        <Button look="main" disabled={isBusy} onClick={() => void onReplay()}>
          {replay.isPending ? "Replaying…" : isChanged ? "Save and replay" : "Replay"}
        </Button>
        {isEditable && (
          <>
            <Button disabled={isBusy || !isChanged} onClick={() => void onSave()}>
              Save
            </Button>
            <Button disabled={isBusy || !isChanged} onClick={() => setBody(told.body)}>
              Undo changes
            </Button>
          </>
        )}
        <Button look="danger" className={styles.last} disabled={isBusy} onClick={() => setAsking(true)}>
          Delete
        </Button>
      </div>
      {asking && (
        <Dialog title={`Delete dead letter ${id}?`} onClose={() => setAsking(false)}>
          <p>What was sent is then gone from the hub. It can't be taken back.</p>
          <div className={styles.buttons}>
            <Button look="danger" onClick={() => void onDelete()}>
              Delete it
            </Button>
            <Button onClick={() => setAsking(false)}>Keep it</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Taken({ by, of }: { by: number; of: Schemas["Replayed"] }) {
  return (
    <p className={styles.said} data-tone="ok">
      Dead letter {by} was replayed{of.repeated ? "; the hub had its events already" : " and taken"}:{" "}
      {of.eventIds.slice(0, 5).map((id, at) => (
        <Link key={id} href={paths.event(id)} className={styles.event}>
          {of.eventIds.length === 1 ? "see the event" : `event ${at + 1}`}
        </Link>
      ))}
      {of.eventIds.length > 5 && `and ${of.eventIds.length - 5} more`}
    </p>
  );
}
