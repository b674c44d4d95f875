import { useEffect } from "react";
import styles from "./Screen.module.css";

interface Props {
  /** Also the tab's title. */
  title: string;
  /** What is shown as the heading, if it is more than the title. */
  heading?: React.ReactNode;
  /** A line above the heading: what kind of thing this is, and where. */
  over?: React.ReactNode;
  actions?: React.ReactNode;
  /** The whole width and height, for the graph. */
  full?: boolean;
  children: React.ReactNode;
}

/** One screen: its heading, what can be done, and its parts under each other. */
export function Screen({ title, heading, over, actions, full = false, children }: Props) {
  useEffect(() => {
    document.title = title === "Home" ? "Lineage Hub" : `${title} · Lineage Hub`;
  }, [title]);
  return (
    <main id="main" className={full ? styles.full : styles.screen} tabIndex={-1}>
      <header className={full ? styles.fullHead : styles.head}>
        <div className={styles.titles}>
          {over != null && <div className={styles.over}>{over}</div>}
          <h1 className={full ? styles.small : undefined}>{heading ?? title}</h1>
        </div>
        {actions != null && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </main>
  );
}

/** Parts side by side where there is room. */
export function Columns({ children, wide = false }: { children: React.ReactNode; wide?: boolean }) {
  return <div className={wide ? styles.wideColumns : styles.columns}>{children}</div>;
}
