// Search everywhere: a combobox over datasets, jobs and screens, by the pattern of ARIA.
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { query } from "../../api/client";
import { manyText } from "../../model/numbers";
import { useRecent, useStars } from "../../model/places";
import { ErrorNote } from "../../ui/States";
import { type Entry, groupsFor } from "./entries";
import { Option } from "./Option";
import { canAsk, narrows, parseQuestion, toParameters } from "./question";
import styles from "./Search.module.css";

const PAUSE_MS = 120;
const MOST = 30;

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export default function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [, navigate] = useLocation();
  const { stars } = useStars();
  const recent = useRecent();

  const settled = useSettled(text, PAUSE_MS);
  const question = useMemo(() => parseQuestion(settled), [settled]);
  const asked = canAsk(question);
  const found = query.useQuery(
    "get",
    "/api/v1/search",
    { params: { query: toParameters(question, MOST) } },
    { enabled: asked, placeholderData: keepPreviousData },
  );
  const answer = asked ? found.data : undefined;
  const results = answer?.results;
  const groups = useMemo(() => groupsFor(text, results ?? [], stars, recent), [text, results, stars, recent]);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = Math.min(at, entries.length - 1);
  const isWaiting = text.trim() !== "" && (settled !== text || (asked && found.isFetching));

  useEffect(() => {
    const box = dialog.current;
    if (box && !box.open) box.showModal();
    input.current?.focus();
    return () => box?.close();
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen, groups]);

  const open = (entry: Entry | undefined, inLineage: boolean) => {
    if (!entry) return;
    onClose();
    navigate(inLineage && entry.as === "place" ? entry.lineage : entry.href);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + 8,
      PageUp: chosen - 8,
    };
    const to = moves[event.key];
    if (to !== undefined && entries.length > 0) {
      event.preventDefault();
      const wraps = event.key.startsWith("Arrow");
      setAt(wraps ? (to + entries.length) % entries.length : Math.max(0, Math.min(to, entries.length - 1)));
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(entries[chosen], event.ctrlKey || event.metaKey);
    }
  };

  let number = 0;
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.box}>
        <div className={styles.ask} data-waiting={isWaiting}>
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label="Search datasets, jobs, columns, tags, owners"
            aria-expanded={entries.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
            placeholder="Name, column, tag, owner, or an id"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={1000}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <button type="button" className={styles.close} onClick={onClose}>
            Close
          </button>
        </div>
        {question.faults.map((fault) => (
          <p key={fault} className={styles.hint}>
            {fault}
          </p>
        ))}
        {asked && found.error && <ErrorNote error={found.error} retry={() => void found.refetch()} />}
        <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className={styles.list}>
          {groups.map((group) => (
            <div key={group.title} role="group" aria-labelledby={`${id}-${group.title}`}>
              <div id={`${id}-${group.title}`} className={styles.title}>
                {group.title}
              </div>
              {group.entries.map((entry) => {
                const index = number++;
                return (
                  <Option
                    key={entry.key}
                    id={`${id}-${index}`}
                    entry={entry}
                    isChosen={index === chosen}
                    onHover={() => setAt(index)}
                    onOpen={(inLineage) => open(entry, inLineage)}
                  />
                );
              })}
            </div>
          ))}
        </div>
        {!asked && narrows(question) && (
          <p className={styles.hint}>Add a word, a tag: or an owner:. The other filters only narrow what these find.</p>
        )}
        {asked && !isWaiting && results?.length === 0 && <Nothing text={settled} />}
        <footer className={styles.foot}>
          <span role="status">
            {answer?.preparing
              ? `still reading columns and tags: ${answer.preparing.done} of ${answer.preparing.of}`
              : answer && !isWaiting && results && results.length > 0
                ? `${results.length < answer.totalCount ? `${results.length} of ` : ""}${manyText(answer.totalCount, "match", "matches")}`
                : text === "" && "narrow by tag: owner: ns: is: state:"}
          </span>
          <span className={styles.keys} aria-hidden="true">
            <kbd>↑</kbd>
            <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Ctrl Enter</kbd> lineage <kbd>Esc</kbd> close
          </span>
        </footer>
      </div>
    </dialog>
  );
}

function Nothing({ text }: { text: string }) {
  return (
    <div className={styles.nothing}>
      <p>
        No dataset and no job matches <b>{text.trim()}</b>.
      </p>
      <p>
        A part of a name is enough, from three letters on; one mistake in a word does no harm. Leave out filters, or try{" "}
        <code>tag:</code> <code>owner:</code> <code>ns:</code> <code>is:dataset</code> <code>state:failed</code>.
      </p>
    </div>
  );
}
