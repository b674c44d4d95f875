import { countText } from "../../model/numbers";
import styles from "./telemetry.module.css";

/** That a list was cut, and what helps. */
export function Left({ shown, total }: { shown: number; total: number }) {
  if (shown >= total) return null;
  return (
    <p className={styles.left}>
      The first {countText(shown)} of {countText(total)}. A filter or a shorter time shows the others.
    </p>
  );
}
