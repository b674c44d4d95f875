// The whole picture becomes the text of an SVG file, drawn from its places: also what isn't in sight is in it.
import { shortName } from "../../model/nodes";
import { curve } from "./curves";
import { hiddenOf } from "./groups";
import { type Changes, SIGNS } from "./marks";
import type { Layout, Point } from "./placing";
import { type Box, HEAD, type Line, ROW, type Scene } from "./scene";

/** The colours of the page's theme, by the names of its tokens. */
export type Paint = (token: string) => string;

const FONT = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const MARGIN = 24;
const TITLE = 28;
const CHARACTER = 6.6;

export function escapeXml(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return (
    text
      .replace(/[&<>"]/g, (one) => names[one] ?? one)
      // XML 1.0 has no way to write control characters.
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd")
  );
}

function cut(text: string, width: number): string {
  const most = Math.max(1, Math.floor(width / CHARACTER));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export interface Drawing {
  svg: string;
  width: number;
  height: number;
}

export function drawingOf(
  scene: Scene,
  layout: Layout,
  changes: Changes | undefined,
  title: string,
  paint: Paint,
): Drawing {
  const width = Math.ceil(Math.max(layout.width, 200) + 2 * MARGIN);
  const height = Math.ceil(layout.height + 2 * MARGIN + TITLE);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${paint("--bg")}"/>`,
    words(title, MARGIN, MARGIN + 4, paint("--ink-2"), { size: 13 }),
    `<g transform="translate(${MARGIN},${MARGIN + TITLE})">`,
  ];
  for (const line of scene.lines.values()) parts.push(lineOf(line, layout.ways.get(line.id) ?? [], changes, paint));
  for (const box of scene.boxes.values()) {
    const at = layout.at.get(box.id);
    if (at) parts.push(boxOf(box, at, changes, paint));
  }
  parts.push("</g></svg>");
  return { svg: parts.join("\n"), width, height };
}

interface Look {
  size?: number;
  bold?: boolean;
  end?: boolean;
}

function words(text: string, x: number, y: number, fill: string, { size = 12, bold, end }: Look = {}): string {
  const weight = bold ? ' font-weight="600"' : "";
  const anchor = end ? ' text-anchor="end"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}"${weight}${anchor}>${escapeXml(text)}</text>`;
}

function lineOf(line: Line, points: Point[], changes: Changes | undefined, paint: Paint): string {
  const marks = new Set(line.kind === "table" ? line.of.map((key) => changes?.edges.get(key)) : []);
  const mark = marks.size === 1 ? [...marks][0] : undefined;
  const stroke = mark ? paint(`--${mark}`) : paint(line.kind === "table" ? "--line-strong" : "--dataset");
  const dash = mark === "removed" || line.isSoft ? ' stroke-dasharray="5 4"' : "";
  const end = points.at(-1);
  const head =
    end && line.kind === "table" ? `M${end.x - 6},${end.y - 4}L${end.x - 1},${end.y}L${end.x - 6},${end.y + 4}` : "";
  return `<path d="${curve(points)}${head}" fill="none" stroke="${stroke}" stroke-width="${mark ? 2 : 1.2}"${dash}/>`;
}

function boxOf(box: Box, { x, y }: Point, changes: Changes | undefined, paint: Paint): string {
  const mark = box.kind === "node" ? changes?.nodes.get(box.id) : undefined;
  const isJob = box.kind === "node" && box.node.kind === "job";
  const stroke = paint(mark ? `--${mark}` : "--line-strong");
  const fill = paint(isJob ? "--bg" : "--surface");
  const dash = mark === "removed" ? ' stroke-dasharray="5 4"' : "";
  const parts = [
    `<g transform="translate(${x},${y})">`,
    `<rect width="${box.width}" height="${box.height}" rx="${isJob ? 14 : 6}" fill="${fill}" stroke="${stroke}"${dash}/>`,
  ];
  if (box.kind === "group") {
    parts.push(words(cut(box.group.title, box.width - 24), 12, 28, paint("--ink"), { bold: true }));
    parts.push(words(cut(hiddenOf(box.group), box.width - 24), 12, 46, paint("--ink-3"), { size: 11 }));
  } else {
    const { node, rows } = box;
    const short = shortName(node.name);
    const name = `${mark ? `${SIGNS[mark]} ` : ""}${short}`;
    const state = node.run && node.run.state !== "COMPLETED" ? node.run.state.toLowerCase() : "";
    parts.push(words(isJob ? "▷" : "▤", 10, HEAD / 2 + 4, paint(isJob ? "--job" : "--dataset")));
    parts.push(words(cut(name, box.width - 40 - state.length * CHARACTER), 30, 20, paint("--ink"), { bold: true }));
    parts.push(
      words(cut(short === node.name ? node.namespace : node.name, box.width - 40), 30, 36, paint("--ink-3"), {
        size: 11,
      }),
    );
    if (state) parts.push(words(state, box.width - 10, 20, paint("--ink-2"), { size: 11, end: true }));
    rows?.shown.forEach((row, at) => {
      const line = HEAD + at * ROW + 14;
      parts.push(words(cut(row.name, 130), 10, line, paint("--ink"), { size: 11 }));
      parts.push(words(cut(row.type, 80), box.width - 10, line, paint("--ink-3"), { size: 11, end: true }));
    });
    if (rows && rows.hidden > 0) {
      parts.push(words(`${rows.hidden} more`, 10, HEAD + rows.shown.length * ROW + 14, paint("--ink-3"), { size: 11 }));
    }
  }
  parts.push("</g>");
  return parts.join("");
}
