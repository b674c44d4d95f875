// What part of a drawing is seen: moved by dragging, zoomed around a place.
export interface View {
  x: number;
  y: number;
  zoom: number;
}

const LEAST = 0.15;
const MOST = 2.5;
const MARGIN = 24;

/** The whole drawing in the middle, never larger than life. */
export function fitted(drawing: { width: number; height: number }, box: { width: number; height: number }): View {
  const fits = Math.min(
    (box.width - 2 * MARGIN) / Math.max(1, drawing.width),
    (box.height - 2 * MARGIN) / Math.max(1, drawing.height),
  );
  const zoom = Math.min(1, Math.max(LEAST, fits));
  return {
    x: (box.width - drawing.width * zoom) / 2,
    y: Math.max(MARGIN, (box.height - drawing.height * zoom) / 2),
    zoom,
  };
}

/** What lies at the place stays there. */
export function zoomed(view: View, by: number, at: { x: number; y: number }): View {
  const zoom = Math.min(MOST, Math.max(LEAST, view.zoom * by));
  const grown = zoom / view.zoom;
  return { x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown, zoom };
}
