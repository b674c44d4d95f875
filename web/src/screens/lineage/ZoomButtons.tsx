import { Button } from "../../ui/Button";
import styles from "./Canvas.module.css";

interface Props {
  onIn: () => void;
  onOut: () => void;
  onFit: () => void;
}

export function ZoomButtons({ onIn, onOut, onFit }: Props) {
  return (
    <div className={styles.zoom} role="group" aria-label="Zoom">
      <Button onClick={onOut} aria-label="Zoom out" aria-keyshortcuts="-">
        −
      </Button>
      <Button onClick={onFit} aria-label="Show all" aria-keyshortcuts="0">
        All
      </Button>
      <Button onClick={onIn} aria-label="Zoom in" aria-keyshortcuts="+">
        +
      </Button>
    </div>
  );
}
