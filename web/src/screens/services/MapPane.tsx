import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import styles from "./ServiceMap.module.css";
import { fitted, type View, zoomed } from "./view";

interface Props {
  label: string;
  drawing: { width: number; height: number };
  children: React.ReactNode;
}

const STEP = 1.25;
const MOVES: Record<string, [number, number]> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};
const CLICK_PX = 3;
const LEAST_HEIGHT = 240;
const MOST_HEIGHT = 560;
// Above and below the drawing, for the buttons too.
const ROOM = 56;

/** A drawing that can be moved and zoomed: by mouse, by keys, by buttons. */
export function MapPane({ label, drawing, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number; view: View; moved: boolean }>(undefined);
  const [view, setView] = useState<View>({ x: 0, y: 0, zoom: 1 });
  const { width, height } = drawing;
  const fit = useCallback(() => {
    const pane = box.current;
    if (pane) setView(fitted({ width, height }, { width: pane.clientWidth, height: pane.clientHeight }));
  }, [width, height]);
  useLayoutEffect(fit, [fit]);
  useEffect(() => {
    const pane = box.current;
    if (!pane) return;
    const observer = new ResizeObserver(fit);
    observer.observe(pane);
    const onWheel = (event: WheelEvent) => {
      // Without a key the wheel scrolls the page, as everywhere.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const frame = pane.getBoundingClientRect();
      const at = { x: event.clientX - frame.left, y: event.clientY - frame.top };
      setView((before) => zoomed(before, Math.exp(-event.deltaY * 0.004), at));
    };
    pane.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      pane.removeEventListener("wheel", onWheel);
    };
  }, [fit]);
  const zoom = (by: number) => {
    const pane = box.current;
    if (pane) setView((before) => zoomed(before, by, { x: pane.clientWidth / 2, y: pane.clientHeight / 2 }));
  };
  return (
    <div className={styles.frame}>
      <div
        ref={box}
        className={styles.pane}
        style={{ height: Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, height + 2 * ROOM)) }}
        role="group"
        aria-label={`${label}; arrow keys move it, plus and minus zoom, 0 shows all`}
        tabIndex={0}
        onKeyDown={(event) => {
          const move = MOVES[event.key];
          if (event.target !== event.currentTarget && move) return;
          if (move) setView((before) => ({ ...before, x: before.x + move[0], y: before.y + move[1] }));
          else if (event.key === "+" || event.key === "=") zoom(STEP);
          else if (event.key === "-") zoom(1 / STEP);
          else if (event.key === "0") fit();
          else return;
          event.preventDefault();
        }}
        onPointerDown={(event) => {
          if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY, view, moved: false };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from || !(event.buttons & 1)) return;
          const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
          if (!from.moved && Math.hypot(dx, dy) < CLICK_PX) return;
          // Only now: a captured pointer clicks on nothing.
          if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId);
          from.moved = true;
          setView({ ...from.view, x: from.view.x + dx, y: from.view.y + dy });
        }}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
        onFocus={(event) => {
          // A box that is reached by key and lies outside is brought into sight by moving the map, not by scrolling it.
          const pane = event.currentTarget;
          pane.scrollTo(0, 0);
          if (event.target === pane) return;
          const [inner, outer] = [event.target.getBoundingClientRect(), pane.getBoundingClientRect()];
          const dx = Math.max(0, outer.left + 8 - inner.left) - Math.max(0, inner.right + 8 - outer.right);
          const dy = Math.max(0, outer.top + 8 - inner.top) - Math.max(0, inner.bottom + 8 - outer.bottom);
          if (dx || dy) setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
        }}
      >
        <div className={styles.plane} style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}>
          {children}
        </div>
      </div>
      <div className={styles.tools}>
        <Button aria-label="Zoom in" onClick={() => zoom(STEP)}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => zoom(1 / STEP)}>
          −
        </Button>
        <Button onClick={fit}>Fit</Button>
      </div>
    </div>
  );
}
