// Moments in the address are in UTC; the browser's field for them speaks the viewer's zone.
function two(value: number): string {
  return String(value).padStart(2, "0");
}

export function toLocal(iso: string | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const day = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function fromLocal(text: string): string {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString().replace(/\.000Z$/, "Z");
}
