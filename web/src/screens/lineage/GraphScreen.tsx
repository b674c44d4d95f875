// The lineage of one node: the picture, what can be done with it, what is known of the chosen thing, and time.
import { useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { shortName } from "../../model/nodes";
import { countText, manyText } from "../../model/numbers";
import { Button } from "../../ui/Button";
import { KindMark } from "../../ui/NodeName";
import { Screen } from "../../ui/Screen";
import { ErrorNote, Loading } from "../../ui/States";
import { ActionsContext } from "./actions";
import type { Place, View } from "./address";
import { Canvas } from "./Canvas";
import { CopyLink } from "./CopyLink";
import { drawingOf } from "./drawing";
import { warmUp } from "./elk";
import { Help } from "./Help";
import { Lighting, LightingContext } from "./lighting";
import { ListView } from "./ListView";
import { useBadges, useBeginning } from "./questions";
import { paintOf, savePng, saveSvg } from "./saving";
import { SidePanel } from "./SidePanel";
import { TimeBar } from "./TimeBar";
import { Toolbar } from "./Toolbar";
import { useActions, useKeptLight } from "./useActions";
import { useLayout } from "./useLayout";
import { useMoments } from "./useMoments";
import { type Picture, usePicture } from "./usePicture";
import { useSame } from "./useSame";
import type { Change } from "./useView";
import { useKeys } from "./useKeys";
import styles from "./GraphScreen.module.css";

const EMPTY = { boxes: new Map(), lines: new Map() };
const isSmall = () => window.matchMedia("(max-width: 640px)").matches;

export function GraphScreen({ view, change }: { view: View; change: Change }) {
  const [lighting] = useState(() => new Lighting());
  const [small] = useState(isSmall);
  const [isHelp, setHelp] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => warmUp(), []);
  // A click is answered at once, with the picture as it was: the next one is made in the background.
  const drawn = useDeferredValue(view);
  const { picture, error, isLoading, retry } = usePicture(drawn);
  const { actions, hovered } = useActions(view, change, picture, lighting);
  const pinned = useKeptLight(picture, view.directOnly, lighting);
  const placed = useLayout(picture?.scene ?? EMPTY);
  const singles = useSame(picture ? [...picture.grouped.singles] : []);
  const badges = useBadges(singles, view.at);
  const beginning = useBeginning();
  const node = picture?.graph.nodes.get(picture.start);
  // The picture first: where on the slider something changed can wait.
  const moments = useMoments(placed.isFine ? picture : undefined);
  const isList = view.as === "" ? small : view.as === "list";

  const onPlace = useCallback((place: Place) => change({ place }), [change]);
  const onClear = useCallback(() => change({ selected: "", edge: "", column: "" }), [change]);
  const toggleFull = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void whole.current?.requestFullscreen();
  };
  useKeys({
    c: () => change((now) => ({ columns: !now.columns, column: "" })),
    f: toggleFull,
    "?": () => setHelp(true),
  });
  const title = `Lineage of ${node ? shortName(node.name) : view.node}`;
  const save = (as: "png" | "svg") => {
    if (!picture) return;
    const when = view.at === "" ? "" : `, as of ${view.at}`;
    const drawing = drawingOf(picture.scene, placed.layout, picture.changes, `${title}${when}`, paintOf);
    const name = `lineage-${node ? shortName(node.name).replace(/[^\w.-]+/g, "-") : "graph"}`;
    if (as === "svg") saveSvg(drawing, name);
    else void savePng(drawing, name);
  };
  return (
    <Screen
      full
      title={title}
      heading={node ? shortName(node.name) : "Lineage"}
      over={
        node && (
          <>
            <span className={styles.kind}>
              <KindMark kind={node.kind} /> Lineage of a {node.kind}
            </span>
            <span>{node.namespace}</span>
          </>
        )
      }
      actions={
        <>
          <Button pressed={isList} onClick={() => change({ as: isList ? "graph" : "list" })}>
            List
          </Button>
          <Button pressed={view.path !== ""} onClick={() => change((now) => pathToggled(now, picture))}>
            Path
          </Button>
          <Button onClick={() => save("png")} disabled={!picture}>
            Save PNG
          </Button>
          <Button onClick={() => save("svg")} disabled={!picture}>
            Save SVG
          </Button>
          <CopyLink />
          <Button onClick={toggleFull} aria-keyshortcuts="f">
            Full screen
          </Button>
          <Button look="bare" onClick={() => setHelp(true)} aria-label="Keys" aria-keyshortcuts="?">
            ?
          </Button>
        </>
      }
    >
      <div ref={whole} className={styles.whole}>
        <Toolbar view={view} change={change} matches={picture?.matches?.size ?? 0} total={picture?.shown.size ?? 0} />
        <ActionsContext.Provider value={actions}>
          <LightingContext.Provider value={lighting}>
            <div className={styles.middle}>
              {picture && isList && (
                <ListView {...picture} badges={badges} onSelect={actions.select} onEdge={(edge) => change({ edge })} />
              )}
              {picture && !isList && (
                <Canvas
                  scene={picture.scene}
                  placed={placed}
                  rim={picture.rim}
                  changes={picture.changes}
                  badges={badges}
                  start={picture.start}
                  selected={view.selected}
                  edge={view.edge}
                  place={view.place}
                  onPlace={onPlace}
                  onClear={onClear}
                />
              )}
              {!picture && (
                <div className={styles.instead}>
                  {error ? (
                    <Refused error={error} retry={retry} change={change} isPast={view.at !== ""} />
                  ) : (
                    <Loading label="Looking for lineage" />
                  )}
                </div>
              )}
              {picture && !(small && isList && view.selected === "" && view.edge === "") && (
                <SidePanel
                  view={view}
                  change={change}
                  picture={picture}
                  actions={actions}
                  badges={badges}
                  hovered={hovered}
                  pinned={pinned}
                  isLoading={isLoading}
                />
              )}
              {picture && !isList && <Counts picture={picture} isLoading={isLoading} isOld={error != null} />}
            </div>
          </LightingContext.Provider>
        </ActionsContext.Provider>
        <TimeBar at={view.at} from={view.from} beginning={beginning} moments={moments} change={change} />
        {isHelp && <Help onClose={() => setHelp(false)} />}
      </div>
    </Screen>
  );
}

/** From what is chosen, else from what the picture is about. */
function pathToggled(view: View, picture: Picture | undefined): Partial<View> {
  if (view.path !== "") return { path: "", to: "" };
  return { path: view.selected || (picture?.start ?? view.node), to: "", column: "", edge: "" };
}

function Counts({ picture, isLoading, isOld }: { picture: Picture; isLoading: boolean; isOld: boolean }) {
  const { shown, grouped, graph, scene } = picture;
  const inGroups = [...grouped.groups.values()];
  const hidden = inGroups.reduce((sum, group) => sum + group.members.length, 0);
  const inside = inGroups.reduce((sum, group) => sum + group.edgesInside, 0);
  const edges = [...scene.lines.values()].reduce(
    (sum, line) => sum + (line.kind === "table" ? line.of.length : 0),
    inside,
  );
  return (
    <p className={styles.counts} role="status">
      {manyText(shown.size, "node")}, {manyText(edges, "edge")}
      {hidden > 0 &&
        `; ${countText(hidden)} nodes and ${manyText(inside, "edge")} in ${manyText(inGroups.length, "closed group")}`}
      {graph.leftOut > 0 && `; the hub left out ${countText(graph.leftOut)} more`}
      {isLoading && "…"}
      {isOld && "; the hub doesn't answer now"}
    </p>
  );
}

interface RefusedProps {
  error: unknown;
  retry: () => void;
  change: Change;
  isPast: boolean;
}

/** A moment before the horizon, or before the node was there, isn't the end: the way back is offered. */
function Refused({ error, retry, change, isPast }: RefusedProps) {
  const told = typeof error === "object" && error !== null && "code" in error ? error : undefined;
  const horizon =
    told?.code === 410 && "subject" in told && typeof told.subject === "string" ? told.subject : undefined;
  return (
    <>
      <ErrorNote error={error} retry={retry} />
      <div className={styles.ways}>
        {horizon !== undefined && (
          <Button onClick={() => change({ at: horizon })}>To the earliest moment that is kept</Button>
        )}
        {isPast && <Button onClick={() => change({ at: "", from: "" })}>To the present</Button>}
      </div>
    </>
  );
}
