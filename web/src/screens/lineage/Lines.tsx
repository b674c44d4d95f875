// All lines of the picture in one drawing of their own: moving the picture asks nothing of them.
import { ViewportPortal } from "@xyflow/react";
import { memo, useContext, useMemo } from "react";
import { ActionsContext } from "./actions";
import { curve } from "./curves";
import { useGradually } from "./gradually";
import { useIsLitLine } from "./lighting";
import { type Mark, SIGNS } from "./marks";
import type { Layout, Point } from "./placing";
import type { Line, Scene } from "./scene";
import styles from "./Lines.module.css";

interface Props {
  scene: Scene;
  layout: Layout;
  marks: ReadonlyMap<string, Mark> | undefined;
  chosen: string;
}

const AT_A_TIME = 160;
const idOf = (line: Line) => line.id;

export const Lines = memo(function Lines({ scene, layout, marks, chosen }: Props) {
  const actions = useContext(ActionsContext);
  const all = useMemo(() => [...scene.lines.values()], [scene]);
  const [lines] = useGradually(all, idOf, AT_A_TIME);
  return (
    <ViewportPortal>
      {/* Assistive technology reads the same in the list and in the details of a node. */}
      <svg
        className={styles.lines}
        aria-hidden="true"
        onClick={(event) => {
          const line = (event.target as Element).closest("[data-line]")?.getAttribute("data-line");
          if (line != null) actions.chooseLine(line);
        }}
      >
        {lines.map((line) => {
          const points = layout.ways.get(line.id);
          return points && points.length > 1 ? (
            <OneLine
              key={line.id}
              line={line}
              points={points}
              mark={marks && markOf(line, marks)}
              isChosen={line.kind === "table" && line.of.includes(chosen)}
            />
          ) : null;
        })}
      </svg>
    </ViewportPortal>
  );
});

/** Of a line that stands for several edges, the mark that all of them have; else that it is changed. */
export function markOf(line: Pick<Line, "kind" | "of">, marks: ReadonlyMap<string, Mark>): Mark | undefined {
  if (line.kind === "column") return undefined;
  const found = new Set(line.of.map((key) => marks.get(key)));
  if (found.size === 1) return [...found][0];
  return "changed";
}

interface OneProps {
  line: Line;
  points: Point[];
  mark: Mark | undefined;
  isChosen: boolean;
}

const OneLine = memo(function OneLine({ line, points, mark, isChosen }: OneProps) {
  const isLit = useIsLitLine(line.id);
  const way = curve(points);
  const end = points.at(-1);
  const middle = points[Math.floor(points.length / 2)];
  // Each side of the head begins at the tip, so that a dashed line has one too.
  const tip = end && `M${end.x - 1},${end.y}`;
  const head = line.kind === "table" ? `${tip}l-5,-4${tip}l-5,4` : "";
  return (
    <g
      data-line={line.id}
      className={styles.line}
      data-kind={line.kind}
      data-soft={line.isSoft}
      data-lit={isLit}
      data-mark={mark}
      data-chosen={isChosen}
    >
      <path className={styles.hit} d={way} />
      <path className={styles.drawn} d={way + head} />
      {mark && middle && (
        <text x={middle.x + 4} y={middle.y - 4}>
          {SIGNS[mark]}
        </text>
      )}
    </g>
  );
});
