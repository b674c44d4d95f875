// One dataset or job in the picture: its name, its state, its columns, and how much more is behind it.
import type { Node, NodeProps } from "@xyflow/react";
import { memo, useContext } from "react";
import { shortName } from "../../model/nodes";
import { countText } from "../../model/numbers";
import { KindMark } from "../../ui/NodeName";
import { ActionsContext } from "./actions";
import { labelOf, type Word, wordsOf } from "./badges";
import { ColumnRows } from "./ColumnRows";
import { LightingContext, useIsAt, useIsLitBox } from "./lighting";
import { type Mark, SIGNS } from "./marks";
import type { Badge } from "./questions";
import type { NodeBox } from "./scene";
import { useFocusAt } from "./useFocusAt";
import styles from "./NodeCard.module.css";

export interface CardData extends Record<string, unknown> {
  box: NodeBox;
  up: number;
  down: number;
  mark: Mark | undefined;
  badge: Badge | undefined;
  isStart: boolean;
  isSelected: boolean;
}

export type CardNode = Node<CardData, "card">;

export const NodeCard = memo(function NodeCard({ data }: NodeProps<CardNode>) {
  const { box, up, down, mark, badge, isStart, isSelected } = data;
  const { node } = box;
  const actions = useContext(ActionsContext);
  const lighting = useContext(LightingContext);
  const isLit = useIsLitBox(node.id);
  const isAt = useIsAt(node.id);
  const button = useFocusAt(isAt);
  const words = wordsOf(node, badge);
  const short = shortName(node.name);
  return (
    <div
      className={styles.card}
      data-kind={node.kind}
      data-lit={isLit}
      data-start={isStart}
      data-selected={isSelected}
      data-mark={mark}
      data-gone={node.deleted || node.namedOnly}
    >
      <button
        ref={button}
        type="button"
        className={styles.head}
        tabIndex={isAt ? 0 : -1}
        aria-pressed={isSelected}
        title={`${node.namespace}\n${node.name}`}
        onClick={() => actions.select(node.id)}
        onFocus={() => lighting.moveTo(node.id)}
      >
        {mark && (
          <span className={styles.sign} aria-hidden="true">
            {SIGNS[mark]}
          </span>
        )}
        <KindMark kind={node.kind} />
        <span className="visually-hidden">{(mark ? `${mark}: ` : "") + labelOf(node, words)}</span>
        <span className={styles.names} aria-hidden="true">
          <span className={styles.name}>{short}</span>
          <span className={styles.where}>{short === node.name ? node.namespace : node.name}</span>
        </span>
        <States words={words} />
      </button>
      {(box.rows || box.isFolded) && (
        <button
          type="button"
          className={styles.fold}
          tabIndex={isAt ? 0 : -1}
          aria-expanded={!box.isFolded}
          aria-label={`Columns of ${short}`}
          onClick={() => actions.toggleFold(node.id)}
        >
          {box.isFolded ? "▸" : "▾"}
        </button>
      )}
      {box.rows && <ColumnRows box={box} rows={box.rows} isTabbed={isAt} />}
      {up > 0 && (
        <button
          type="button"
          className={styles.more}
          data-side="up"
          tabIndex={isAt ? 0 : -1}
          onClick={() => actions.expand("upstream", node.id)}
        >
          <span aria-hidden="true">+{countText(up)}</span>
          <span className="visually-hidden">{`Show ${countText(up)} more upstream of ${short}`}</span>
        </button>
      )}
      {down > 0 && (
        <button
          type="button"
          className={styles.more}
          data-side="down"
          tabIndex={isAt ? 0 : -1}
          onClick={() => actions.expand("downstream", node.id)}
        >
          <span aria-hidden="true">+{countText(down)}</span>
          <span className="visually-hidden">{`Show ${countText(down)} more downstream of ${short}`}</span>
        </button>
      )}
    </div>
  );
});

function States({ words }: { words: Word[] }) {
  return (
    <span className={styles.states} aria-hidden="true">
      {words.map(({ text, tone, isQuiet }) => (
        <span key={text} className={styles.state} data-tone={tone} title={text}>
          <span className={styles.dot} />
          {!isQuiet && text}
        </span>
      ))}
    </span>
  );
}
