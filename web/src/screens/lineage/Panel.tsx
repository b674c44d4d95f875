// What is known of the chosen thing, beside the picture.
import { useId } from "react";
import { Button } from "../../ui/Button";
import styles from "./Panel.module.css";

interface Props {
  title: React.ReactNode;
  over?: React.ReactNode;
  onClose?: () => void;
  children: React.ReactNode;
}

export function Panel({ title, over, onClose, children }: Props) {
  const id = useId();
  return (
    <aside className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {over != null && <div className={styles.over}>{over}</div>}
          <h2 id={id}>{title}</h2>
        </div>
        {onClose && (
          <Button look="bare" onClick={onClose} aria-label="Close">
            ✕
          </Button>
        )}
      </header>
      <div className={styles.body}>{children}</div>
    </aside>
  );
}

export function Part({ title, children }: { title: React.ReactNode; children: React.ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
