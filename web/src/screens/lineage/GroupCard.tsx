// A closed group in the picture: what it hides, in numbers.
import type { Node, NodeProps } from "@xyflow/react";
import { memo, useContext } from "react";
import { countText } from "../../model/numbers";
import { ActionsContext } from "./actions";
import { hiddenOf } from "./groups";
import { LightingContext, useIsAt, useIsLitBox } from "./lighting";
import { useFocusAt } from "./useFocusAt";
import type { GroupBox } from "./scene";
import styles from "./NodeCard.module.css";

export interface GroupData extends Record<string, unknown> {
  box: GroupBox;
  changes: number;
}

export type GroupNode = Node<GroupData, "group-card">;

const KINDS = { namespace: "namespace", tag: "tag", path: "folder", names: "names" };

export const GroupCard = memo(function GroupCard({ data }: NodeProps<GroupNode>) {
  const { group } = data.box;
  const actions = useContext(ActionsContext);
  const lighting = useContext(LightingContext);
  const isLit = useIsLitBox(group.id);
  const isAt = useIsAt(group.id);
  const button = useFocusAt(isAt);
  const hidden = hiddenOf(group);
  return (
    <div className={styles.group} data-lit={isLit} data-mark={data.changes > 0 ? "changed" : undefined}>
      <button
        ref={button}
        type="button"
        className={styles.head}
        tabIndex={isAt ? 0 : -1}
        title={`${group.title}\n${hidden}`}
        onClick={({ currentTarget }) => {
          // The button goes with the group: the focus waits on the picture for the first that was in it.
          currentTarget.closest<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true });
          lighting.moveTo(group.members[0] ?? group.id, true);
          actions.open(group.id);
        }}
        onFocus={() => lighting.moveTo(group.id)}
      >
        <span className="visually-hidden">{`Open ${KINDS[group.by]} ${group.title}: ${hidden}`}</span>
        <span className={styles.names} aria-hidden="true">
          <span className={styles.where}>{KINDS[group.by]}</span>
          <span className={styles.name}>{group.title}</span>
          <span className={styles.where}>
            {hidden}
            {data.changes > 0 && `, ${countText(data.changes)} changed`}
          </span>
        </span>
      </button>
    </div>
  );
});
