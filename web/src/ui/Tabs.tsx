import { useRef } from "react";
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
