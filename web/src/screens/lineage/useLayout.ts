// A scene becomes places: the quick ones at once, ELK's as soon as they are there.
import { startTransition, useEffect, useMemo, useState } from "react";
import { dropLayouts, refine } from "./elk";
import { type Layout, place } from "./placing";
import type { Scene } from "./scene";

export interface Placed {
  layout: Layout;
  isFine: boolean;
}

/** What a layout depends on: sizes and joints, not what is written in the boxes. */
function shapeOf({ boxes, lines }: Scene): string {
  const sizes = [...boxes.values()].map(({ id, height }) => `${id}\t${height}`);
  const joints = [...lines.values()].map(({ id, fromY, toY }) => `${id}\t${fromY}\t${toY}`);
  return [...sizes, "", ...joints].join("\r");
}

export function useLayout(scene: Scene): Placed {
  const shape = useMemo(() => shapeOf(scene), [scene]);
  const parts = useMemo(
    () => ({
      boxes: [...scene.boxes.values()].map(({ id, width, height }) => ({ id, width, height })),
      lines: [...scene.lines.values()].map(({ id, from, to, fromY, toY }) => ({ id, from, to, fromY, toY })),
    }),
    // The shape is all of the scene that counts here.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [shape],
  );
  const quick = useMemo(() => place(parts.boxes, parts.lines), [parts]);
  const [fine, setFine] = useState<{ of: typeof parts; layout: Layout }>();
  useEffect(() => {
    if (parts.boxes.length === 0) return;
    let isWanted = true;
    refine(parts.boxes, parts.lines).then(
      (layout) => isWanted && startTransition(() => setFine({ of: parts, layout })),
      // Without ELK the quick places are what there is.
      () => undefined,
    );
    return () => {
      isWanted = false;
      dropLayouts();
    };
  }, [parts]);
  return fine?.of === parts ? { layout: fine.layout, isFine: true } : { layout: quick, isFine: false };
}
