import { useEffect, useRef } from "react";
import styles from "./Tabs.module.css";

interface Props<Key extends string> {
  label: string;
  tabs: { key: Key; title: React.ReactNode }[];
  chosen: Key;
  onChoose: (key: Key) => void;
  /** The chosen tab's content. */
  children: React.ReactNode;
}

export function Tabs<Key extends string>({ label, tabs, chosen, onChoose, children }: Props<Key>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the chosen one may stand outside of what is seen of the list.
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!list.current || !tab) return;
    const { scrollLeft, clientWidth } = list.current;
    const [left, right] = [
      tab.offsetLeft - list.current.offsetLeft,
      tab.offsetLeft - list.current.offsetLeft + tab.offsetWidth,
    ];
    if (left < scrollLeft || right > scrollLeft + clientWidth) list.current.scrollLeft = right - clientWidth;
  }, [chosen]);
  const move = (by: number) => {
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className={styles.tabs}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move(1);
          if (event.key === "ArrowLeft") move(-1);
        }}
      >
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`tab-${key}`}
            data-key={key}
            aria-selected={key === chosen}
            aria-controls="tab-panel"
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
