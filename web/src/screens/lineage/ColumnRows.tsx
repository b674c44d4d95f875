// The columns of a dataset in the picture. Hovered or focused, one lights up its whole way; clicked, it stays lit.
import { useContext } from "react";
import { countText } from "../../model/numbers";
import { ActionsContext } from "./actions";
import type { Rows } from "./columns";
import { useLitColumns } from "./lighting";
import type { NodeBox } from "./scene";
import styles from "./NodeCard.module.css";

interface Props {
  box: NodeBox;
  rows: Rows;
  isTabbed: boolean;
}

export function ColumnRows({ box, rows, isTabbed }: Props) {
  const actions = useContext(ActionsContext);
  const lit = useLitColumns(rows.shown.map((row) => row.id));
  const isLit = new Set(lit.split(",").filter(Boolean).map(Number));
  const tab = isTabbed ? 0 : -1;
  return (
    <ul className={styles.rows} aria-label={`Columns of ${box.node.name}`}>
      {rows.shown.map((row, at) => (
        <li key={row.id}>
          <button
            type="button"
            className={styles.row}
            data-lit={isLit.has(at)}
            data-linked={row.linked}
            tabIndex={tab}
            title={`${row.name}${row.type ? `: ${row.type}` : ""}`}
            onMouseEnter={() => actions.hover(row.id)}
            onMouseLeave={() => actions.hover(null)}
            onFocus={() => actions.hover(row.id)}
            onBlur={() => actions.hover(null)}
            onClick={() => actions.pin(row.id)}
          >
            <span className={styles.column}>
              <span className="visually-hidden">column </span>
              {row.name}
              <span className="visually-hidden">, </span>
            </span>
            <span className={styles.type}>{row.type}</span>
          </button>
        </li>
      ))}
      {(rows.hidden > 0 || box.isTall) && (
        <li>
          <button type="button" className={styles.rest} tabIndex={tab} onClick={() => actions.toggleTall(box.id)}>
            {box.isTall ? "Fewer columns" : `${countText(rows.hidden)} more`}
          </button>
        </li>
      )}
    </ul>
  );
}
