// A tree of timed rows: names at the left, bars over time at the right. Only the rows in sight are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { durationText } from "../model/times";
import {
  afterKey,
  closedFrom,
  endsOf,
  openedFor,
  placeOf,
  scaled,
  shownRows,
  ticksOf,
  type TimedRow,
  type View,
  viewOf,
  wholeOf,
  without,
} from "../model/waterfall";
import { Button } from "./Button";
import styles from "./Waterfall.module.css";
import { WaterfallBar } from "./WaterfallBar";

export interface WaterfallRow extends TimedRow {
  name: string;
  /** Beside the name: a service, a namespace. */
  note?: string;
  /** A custom property of tokens.css, such as `--series-1`. */
  color: string;
  failed?: boolean;
  /** Still at work. */
  open?: boolean;
  /** Stretches that decided when the whole ended. */
  critical?: readonly { start: number; length: number }[];
}

interface Props {
  label: string;
  rows: readonly WaterfallRow[];
  chosen?: string;
  onChoose?: (id: string) => void;
  /** Ids of what is looked for; the rest steps back. */
  found?: ReadonlySet<string>;
  /** More choices beside the buttons. */
  tools?: React.ReactNode;
  maxHeight?: number;
}

const ROW = 24;
const NONE: ReadonlySet<string> = new Set();

export function Waterfall({ label, rows, chosen, onChoose, found, tools, maxHeight = 560 }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const [closed, setClosed] = useState(NONE);
  const [near, setNear] = useState<View>();
  const ends = useMemo(() => endsOf(rows), [rows]);
  const shown = useMemo(() => shownRows(rows, ends, closed), [rows, ends, closed]);
  const whole = useMemo(() => wholeOf(rows), [rows]);
  const positions = useMemo(() => new Map(rows.map((row, at) => [row.id, at])), [rows]);
  const view = near ?? whole;
  const at = chosen === undefined ? undefined : positions.get(chosen);
  const row = at === undefined ? undefined : rows[at];
  const window = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  // What is chosen comes into sight, whoever chose it.
  useEffect(() => {
    if (at !== undefined) setClosed((before) => openedFor(rows, at, before));
  }, [at, rows]);
  const place = at === undefined ? -1 : shown.indexOf(at);
  useEffect(() => {
    if (place >= 0) window.scrollToIndex(place, { align: "auto" });
  }, [place, window]);
  const onKey = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = afterKey(event.key, rows, ends, { at: at ?? -1, closed });
    if (!next || (at === undefined && !event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    setClosed(next.closed);
    const to = rows[next.at];
    if (to) onChoose?.(to.id);
  };
  const nested = rows.some((one) => one.depth > 0);
  return (
    <div className={styles.waterfall}>
      <div className={styles.tools}>
        {tools}
        <span className={styles.buttons}>
          {nested && (
            <Button look="bare" onClick={() => setClosed(closed.size > 0 ? NONE : closedFrom(rows, ends, 1))}>
              {closed.size > 0 ? "Open all" : "Close all"}
            </Button>
          )}
          <Button look="bare" disabled={!row} onClick={() => row && setNear(viewOf(row, whole))}>
            Zoom to row
          </Button>
          <Button look="bare" aria-label="Zoom in" onClick={() => setNear(scaled(view, whole, 0.5))}>
            +
          </Button>
          <Button look="bare" aria-label="Zoom out" disabled={!near} onClick={() => setNear(wider(view, whole))}>
            −
          </Button>
          <Button look="bare" disabled={!near} onClick={() => setNear(undefined)}>
            Whole
          </Button>
        </span>
      </div>
      <Axis view={view} zero={whole.from} />
      <div
        ref={box}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={place >= 0 ? `${prefix}${at}` : undefined}
        className={styles.rows}
        style={{ maxHeight }}
        onKeyDown={onKey}
      >
        <div role="presentation" className={styles.inner} style={{ height: window.getTotalSize() }}>
          {window.getVirtualItems().map((item) => {
            const position = shown[item.index];
            const one = position === undefined ? undefined : rows[position];
            if (position === undefined || !one) return null;
            const hasInside = (ends[position] ?? 0) > position + 1;
            const isOpen = !closed.has(one.id);
            return (
              <div
                key={one.id}
                id={`${prefix}${position}`}
                role="treeitem"
                aria-level={one.depth + 1}
                aria-selected={one.id === chosen}
                aria-expanded={hasInside ? isOpen : undefined}
                className={styles.row}
                data-found={found?.has(one.id)}
                style={{ top: item.start }}
                onClick={() => onChoose?.(one.id)}
              >
                <span className={styles.name} style={{ paddingLeft: Math.min(one.depth, 14) * 10 }}>
                  <span
                    aria-hidden="true"
                    className={hasInside ? styles.toggle : styles.leaf}
                    onClick={(event) => {
                      if (!hasInside) return;
                      event.stopPropagation();
                      setClosed(isOpen ? new Set([...closed, one.id]) : without(closed, one.id));
                    }}
                  >
                    {hasInside ? (isOpen ? "▾" : "▸") : ""}
                  </span>
                  {one.failed && (
                    <span className={styles.failed} aria-hidden="true">
                      !
                    </span>
                  )}
                  <span className={styles.words} title={one.note ? `${one.name}\n${one.note}` : one.name}>
                    {one.name}
                    {one.note && <span className={styles.note}> {one.note}</span>}
                  </span>
                </span>
                <WaterfallBar row={one} view={view} place={placeOf(one, view)} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function wider(view: View, whole: View): View | undefined {
  const next = scaled(view, whole, 2);
  return next === whole ? undefined : next;
}

function Axis({ view, zero }: { view: View; zero: number }) {
  const ticks = ticksOf({ from: view.from - zero, to: view.to - zero }, 6);
  return (
    <div className={styles.axis} aria-hidden="true">
      <span />
      <span className={styles.ticks}>
        {ticks.map((tick) => {
          const place = placeOf({ start: tick + zero, length: 0 }, view);
          return (
            place && (
              <span key={tick} className={styles.tick} style={{ left: `${place.left}%` }}>
                {tick === 0 ? "0" : durationText(tick)}
              </span>
            )
          );
        })}
      </span>
    </div>
  );
}
