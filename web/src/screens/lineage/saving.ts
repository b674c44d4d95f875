// A drawing becomes a file that the browser saves.
import type { Drawing } from "./drawing";

/** More pixels than this a browser refuses to draw. */
const MOST_SIDE = 8_192;
const MOST_AREA = 64_000_000;

export function scaleOf({ width, height }: Pick<Drawing, "width" | "height">): number {
  return Math.min(2, MOST_SIDE / width, MOST_SIDE / height, Math.sqrt(MOST_AREA / (width * height)));
}

export function paintOf(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

export function saveSvg({ svg }: Drawing, name: string): void {
  save(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function savePng(drawing: Drawing, name: string): Promise<void> {
  const scale = scaleOf(drawing);
  const address = URL.createObjectURL(new Blob([drawing.svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.floor(drawing.width * scale);
    canvas.height = Math.floor(drawing.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) save(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
