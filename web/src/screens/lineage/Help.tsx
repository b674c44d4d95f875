import { Dialog } from "../../ui/Dialog";
import styles from "./Help.module.css";

const KEYS: [string, string][] = [
  ["← →", "to what feeds a box, to what it feeds"],
  ["↑ ↓", "to the box above or below"],
  ["Enter", "details of a node; open a group"],
  ["Tab", "to the columns of the box, and to what is behind it"],
  ["+ − 0", "larger, smaller, all of it"],
  ["c", "columns on and off"],
  ["f", "full screen"],
  ["Esc", "nothing chosen, nothing lit"],
  ["?", "this"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys in the graph" onClose={onClose}>
      <dl className={styles.keys}>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        A dashed line of tables is told by columns only; a dashed line of columns decides about rows, and gives no
        value.
      </p>
    </Dialog>
  );
}
