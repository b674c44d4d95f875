// What is lit, kept outside of React: a hover redraws the few boxes and lines that it changes, and dims the rest by CSS.
import { createContext, useContext, useSyncExternalStore } from "react";

export interface Lit {
  boxes: ReadonlySet<string>;
  lines: ReadonlySet<string>;
  /** Ids of columns. */
  columns: ReadonlySet<string>;
}

export class Lighting {
  private base: Lit | null = null;
  private hovered: Lit | null = null;
  private cursor = "";
  isByKey = false;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get lit(): Lit | null {
    return this.hovered ?? this.base;
  }

  /** Where the keyboard is. */
  get at(): string {
    return this.cursor;
  }

  keep(lit: Lit | null): void {
    if (this.base === lit) return;
    this.base = lit;
    this.tell();
  }

  hover(lit: Lit | null): void {
    if (this.hovered === lit) return;
    this.hovered = lit;
    this.tell();
  }

  /** By a key the focus follows; otherwise it is there already. */
  moveTo(box: string, isByKey = false): void {
    this.isByKey = isByKey;
    if (this.cursor === box) return;
    this.cursor = box;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

export const LightingContext = createContext(new Lighting());

function useLighting<T>(read: (lighting: Lighting) => T): T {
  const lighting = useContext(LightingContext);
  return useSyncExternalStore(lighting.subscribe, () => read(lighting));
}

export const useIsLitBox = (id: string): boolean => useLighting(({ lit }) => lit?.boxes.has(id) ?? false);
export const useIsLitLine = (id: string): boolean => useLighting(({ lit }) => lit?.lines.has(id) ?? false);
export const useIsAt = (id: string): boolean => useLighting(({ at }) => at === id);
export const useIsLit = (): boolean => useLighting(({ lit }) => lit !== null);

/** Which of these columns are lit, as a text: the same text draws nothing anew. */
export const useLitColumns = (ids: string[]): string =>
  useLighting(({ lit }) => (lit ? ids.flatMap((id, at) => (lit.columns.has(id) ? [at] : [])).join(",") : ""));
