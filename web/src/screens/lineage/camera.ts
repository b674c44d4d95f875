// A layout and the size of the pane become where the picture is looked at from.
import type { Place } from "./address";
import type { Layout, Point, Sized } from "./placing";

export interface Pane {
  width: number;
  height: number;
}

const MARGIN = 40;
/** Smaller than this, names can't be read. */
const LEGIBLE = 0.5;

/** The whole picture, never larger than life. */
export function fitAll(layout: Layout, pane: Pane): Place {
  const zoom = Math.max(
    0.02,
    Math.min(
      1,
      (pane.width - 2 * MARGIN) / Math.max(1, layout.width),
      (pane.height - 2 * MARGIN) / Math.max(1, layout.height),
    ),
  );
  return {
    x: (pane.width - layout.width * zoom) / 2,
    y: (pane.height - layout.height * zoom) / 2,
    zoom,
  };
}

export function centreOn(at: Point, box: Sized, pane: Pane, zoom: number): Place {
  return {
    x: pane.width / 2 - (at.x + box.width / 2) * zoom,
    y: pane.height / 2 - (at.y + box.height / 2) * zoom,
    zoom,
  };
}

/** Whether all of it can be seen at once, and read. */
export function isLegible(layout: Layout, pane: Pane): boolean {
  return fitAll(layout, pane).zoom >= LEGIBLE;
}

/** All of it if it can be read then, else the node that it is about. */
export function firstLook(layout: Layout, start: Sized | undefined, pane: Pane): Place {
  const all = fitAll(layout, pane);
  const at = start && layout.at.get(start.id);
  return all.zoom >= LEGIBLE || !start || !at ? all : centreOn(at, start, pane, LEGIBLE + 0.2);
}

/** The same box stays where it was on the screen while everything around it moves. */
export function anchored(view: Place, before: Point | undefined, after: Point | undefined): Place {
  if (!before || !after) return view;
  return { ...view, x: view.x + (before.x - after.x) * view.zoom, y: view.y + (before.y - after.y) * view.zoom };
}

export function isInSight(at: Point, box: Sized, view: Place, pane: Pane): boolean {
  const left = at.x * view.zoom + view.x;
  const top = at.y * view.zoom + view.y;
  return (
    left >= 0 && top >= 0 && left + box.width * view.zoom <= pane.width && top + box.height * view.zoom <= pane.height
  );
}
