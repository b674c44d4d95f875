// The picture itself: boxes at their places, the lines between them, the keyboard, and where it is looked at from.
import { MiniMap, type Node, ReactFlow, ReactFlowProvider, useReactFlow, useStoreApi } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Place } from "./address";
import { anchored, centreOn, firstLook, fitAll, isInSight, isLegible } from "./camera";
import { useGradually } from "./gradually";
import { GroupCard, type GroupNode } from "./GroupCard";
import { LightingContext } from "./lighting";
import { Lines } from "./Lines";
import { type Changes, marksWithin } from "./marks";
import { isArrow, nextBox } from "./moving";
import { type CardNode, NodeCard } from "./NodeCard";
import type { Badge } from "./questions";
import type { Scene } from "./scene";
import type { Placed } from "./useLayout";
import type { Rim } from "./visible";
import { ZoomButtons } from "./ZoomButtons";
import styles from "./Canvas.module.css";

interface Props {
  scene: Scene;
  placed: Placed;
  rim: Rim;
  changes: Changes | undefined;
  badges: ReadonlyMap<string, Badge>;
  start: string;
  selected: string;
  edge: string;
  /** Where a link says that it is to be looked at from; null for where it looks best. */
  place: Place | null;
  onPlace: (place: Place) => void;
  onClear: () => void;
}

const TYPES = { card: NodeCard, "group-card": GroupCard };
const NO_LINES: never[] = [];
const SMALLEST = 0.02;
const LARGEST = 2.5;
const AT_A_TIME = 90;
const MAP_SIZE = { width: 160, height: 104 };
/** Smaller than this, a box has room for its name alone, and the name for larger letters. */
const FAR = 0.5;
const idOf = (node: FlowNode) => node.id;

type FlowNode = CardNode | GroupNode;

function flowNodes({ scene, placed, rim, changes, badges, start, selected }: Props): FlowNode[] {
  const nodes: FlowNode[] = [];
  // What it is about stands among the nodes, and is drawn before the groups.
  const boxes = [...scene.boxes.values()].sort((a, b) => Number(a.kind === "group") - Number(b.kind === "group"));
  for (const box of boxes) {
    const { id, width, height } = box;
    const position = placed.layout.at.get(id) ?? { x: 0, y: 0 };
    // Sizes are known, and lines are drawn apart: nothing has to be measured, and what isn't in sight isn't drawn.
    const shared = { id, position, width, height, measured: { width, height }, handles: [] };
    if (box.kind === "group") {
      const marked = changes ? marksWithin(box.group.members, changes.nodes) : 0;
      nodes.push({ ...shared, type: "group-card", data: { box, changes: marked } });
      continue;
    }
    const data = {
      box,
      up: rim.up.get(id) ?? 0,
      down: rim.down.get(id) ?? 0,
      mark: changes?.nodes.get(id),
      badge: badges.get(id),
      isStart: id === start,
      isSelected: id === selected,
    };
    nodes.push({ ...shared, type: "card", data });
  }
  return nodes;
}

/** Data that says the same stays the same object, so that only boxes that changed are drawn anew. */
function useFlowNodes(props: Props): FlowNode[] {
  const before = useRef(new Map<string, FlowNode>());
  const { scene, placed, rim, changes, badges, start, selected } = props;
  return useMemo(() => {
    const nodes = flowNodes({ ...props, scene, placed, rim, changes, badges, start, selected }).map((node) => {
      const old = before.current.get(node.id);
      const isSame =
        old?.type === node.type &&
        Object.entries(node.data).every(([key, value]) => (old.data as Record<string, unknown>)[key] === value);
      return (isSame ? { ...node, data: old.data } : node) as FlowNode;
    });
    before.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [scene, placed, rim, changes, badges, start, selected]);
}

function Picture(props: Props) {
  const { scene, placed, start, edge, changes, place, onPlace, onClear } = props;
  const { layout } = placed;
  const all = useFlowNodes(props);
  const [nodes, isWhole] = useGradually(all, idOf, AT_A_TIME);
  const lighting = useContext(LightingContext);
  const flow = useReactFlow();
  const store = useStoreApi();
  const box = useRef<HTMLDivElement>(null);
  const pane = () => {
    const { width, height } = store.getState();
    return { width, height };
  };
  // Sizes are known: what React Flow would measure of new boxes draws all of them a second time. Its observer is made
  // with the first drawing, and keeps what stands here before.
  useState(() => store.setState({ updateNodeInternals: () => undefined }));
  useCamera(props);
  useEffect(() => {
    let wasFar: boolean | undefined;
    const show = ({ transform }: { transform: [number, number, number] }) => {
      const isFar = transform[2] < FAR;
      if (isFar !== wasFar) box.current?.setAttribute("data-far", String((wasFar = isFar)));
    };
    show(store.getState());
    return store.subscribe(show);
  }, [store]);
  useEffect(() => {
    const show = () => box.current?.setAttribute("data-some-lit", String(lighting.lit !== null));
    show();
    return lighting.subscribe(show);
  }, [lighting]);
  useEffect(() => {
    if (scene.boxes.has(lighting.at)) return;
    // Of an open group that was large, a part is closed again: the keyboard stands there.
    const around = [...scene.boxes.values()].find(
      (one) => one.kind === "group" && one.group.members.includes(lighting.at),
    );
    const next = around?.id ?? (scene.boxes.has(start) ? start : ([...scene.boxes.keys()][0] ?? ""));
    lighting.moveTo(next, around !== undefined && lighting.isByKey);
  }, [scene, start, lighting]);

  const look = (to: Place) => {
    // At once: a layout that arrives on the way would stop the picture where it is.
    void flow.setViewport(to);
    onPlace(to);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (isArrow(key)) {
      const next = nextBox(lighting.at, key, layout.at, scene.lines.values());
      const at = next === undefined ? undefined : layout.at.get(next);
      const to = next === undefined ? undefined : scene.boxes.get(next);
      event.preventDefault();
      if (next === undefined || !at || !to) return;
      lighting.moveTo(next, true);
      const view = flow.getViewport();
      if (!isInSight(at, to, view, pane())) look(centreOn(at, to, pane(), view.zoom));
    } else if (key === "+" || key === "=") void flow.zoomIn({ duration: 120 }).then(() => onPlace(flow.getViewport()));
    else if (key === "-") void flow.zoomOut({ duration: 120 }).then(() => onPlace(flow.getViewport()));
    else if (key === "0") look(fitAll(layout, pane()));
    else if (key === "Escape") onClear();
  };
  return (
    <div
      ref={box}
      className={styles.canvas}
      role="group"
      aria-label="Lineage graph"
      tabIndex={-1}
      data-canvas
      data-layout={placed.isFine && isWhole ? "fine" : "quick"}
      onKeyDown={onKeyDown}
    >
      <ReactFlow<FlowNode>
        nodes={nodes}
        edges={NO_LINES}
        nodeTypes={TYPES}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        panOnScroll={false}
        zoomOnDoubleClick={false}
        minZoom={SMALLEST}
        maxZoom={LARGEST}
        defaultViewport={place ?? undefined}
        onMoveEnd={(event, to) => event && onPlace(to)}
        onPaneClick={onClear}
      >
        <Lines scene={scene} layout={layout} marks={changes?.edges} chosen={edge} />
        <MiniMap<FlowNode>
          className={styles.map}
          style={MAP_SIZE}
          ariaLabel="Map of the whole graph"
          pannable
          zoomable
          nodeClassName={(node: Node) => (node.id === start ? "start" : "")}
          position="bottom-left"
        />
      </ReactFlow>
      <ZoomButtons
        onIn={() => void flow.zoomIn({ duration: 120 }).then(() => onPlace(flow.getViewport()))}
        onOut={() => void flow.zoomOut({ duration: 120 }).then(() => onPlace(flow.getViewport()))}
        onFit={() => look(fitAll(layout, pane()))}
      />
      {!placed.isFine && (
        <span className={styles.rough} role="status">
          Refining the layout…
        </span>
      )}
    </div>
  );
}

/** Looks from where the link says or where it looks best, and keeps what a person looks at in its place. */
function useCamera({ scene, placed, start, place }: Props): void {
  const lighting = useContext(LightingContext);
  const flow = useReactFlow();
  const store = useStoreApi();
  const moved = useRef(place !== null);
  // A link's place is meant for ELK's layout: it waits for that.
  const restored = useRef(place);
  // Once it was seen as it is meant to be, the picture grows around what a person is at.
  const isSettled = useRef(false);
  const shown = useRef<{ start: string; layout: Placed["layout"] } | undefined>(undefined);
  useEffect(() => {
    if (place !== null) moved.current = true;
  }, [place]);
  useLayoutEffect(() => {
    const { layout } = placed;
    const before = shown.current;
    if (layout.at.size === 0) return;
    const look = () => {
      const { width, height } = store.getState();
      if (width === 0) return false;
      if (before !== undefined && before.start !== start) {
        moved.current = false;
        isSettled.current = false;
        restored.current = null;
      }
      if (restored.current) {
        void flow.setViewport(restored.current);
        if (placed.isFine) restored.current = null;
      } else if (!moved.current && (!isSettled.current || isLegible(layout, { width, height }))) {
        void flow.setViewport(firstLook(layout, scene.boxes.get(start), { width, height }));
      } else if (before !== undefined && before.layout !== layout) {
        const held = [lighting.at, start].find((id) => before.layout.at.has(id) && layout.at.has(id)) ?? start;
        void flow.setViewport(anchored(flow.getViewport(), before.layout.at.get(held), layout.at.get(held)));
      }
      shown.current = { start, layout };
      isSettled.current ||= placed.isFine;
      return true;
    };
    if (look()) return;
    // The pane has no size before its first drawing.
    return store.subscribe((state) => {
      if (state.width > 0 && shown.current?.layout !== layout) look();
    });
  }, [placed, scene, start, lighting, flow, store]);
}

export const Canvas = memo(function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Picture {...props} />
    </ReactFlowProvider>
  );
});
