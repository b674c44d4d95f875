// What a person does in the picture becomes a change of the address, or of what is lit.
import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import type { Actions } from "./actions";
import type { View } from "./address";
import { closureOf } from "./columns";
import type { Direction } from "./graph";
import type { Lighting } from "./lighting";
import { litByColumn, litByFilter, litByPath } from "./lit";
import { type Picture, usePinned } from "./usePicture";
import type { Change } from "./useView";

function toggled(list: string[], one: string): string[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}

function withMore(view: View, direction: Direction, node: string): Partial<View> {
  const isThere = view.more.some((one) => one.node === node && one.direction === direction);
  return { more: isThere ? view.more : [...view.more, { direction, node }] };
}

export function useActions(
  view: View,
  change: Change,
  picture: Picture | undefined,
  lighting: Lighting,
): { actions: Actions; hovered: string } {
  const [hovered, setHovered] = useState("");
  const latest = useRef({ picture, directOnly: view.directOnly });
  useEffect(() => {
    latest.current = { picture, directOnly: view.directOnly };
  }, [picture, view.directOnly]);
  const actions = useMemo<Actions>(() => {
    const light = (column: string | null) => {
      const { picture: shown, directOnly } = latest.current;
      const isLinked = column !== null && (shown?.columns.into.has(column) || shown?.columns.outOf.has(column));
      // The light first, the words after it: nobody waits for words.
      lighting.hover(
        shown && column !== null && isLinked
          ? litByColumn(closureOf(shown.columns, column, directOnly), shown.columns, shown.grouped, shown.scene)
          : null,
      );
      startTransition(() => setHovered(column ?? ""));
    };
    return {
      select: (node) =>
        change((now) =>
          now.path !== "" && now.to === "" && now.path !== node ? { to: node } : { selected: node, edge: "" },
        ),
      expand: (direction, node) => {
        lighting.moveTo(node);
        change((now) => withMore(now, direction, node));
      },
      open: (group) => change((now) => ({ open: toggled(now.open, group) })),
      hover: light,
      pin: (column) =>
        change((now) => ({ columns: true, column: now.column === column ? "" : column, selected: "", edge: "" })),
      toggleTall: (dataset) => change((now) => ({ tall: toggled(now.tall, dataset) })),
      toggleFold: (dataset) => change((now) => ({ folded: toggled(now.folded, dataset) })),
      chooseLine: (id) => {
        const line = latest.current.picture?.scene.lines.get(id);
        const [first] = line?.of ?? [];
        if (!line || first === undefined) return;
        if (line.kind === "table") change({ edge: first });
        else change({ column: first.split("\n")[1] ?? "", selected: "", edge: "" });
      },
    };
  }, [change, lighting]);
  return { actions, hovered };
}

/** What stays lit: the pinned column, else the path, else what the filter finds. */
export function useKeptLight(picture: Picture | undefined, directOnly: boolean, lighting: Lighting) {
  const closure = usePinned(picture, directOnly);
  useEffect(() => {
    if (!picture) return lighting.keep(null);
    const { columns, grouped, scene, found, matches } = picture;
    if (closure) lighting.keep(litByColumn(closure, columns, grouped, scene));
    else if (found) lighting.keep(litByPath(found, grouped, scene));
    else if (matches) lighting.keep(litByFilter(matches, grouped, scene));
    else lighting.keep(null);
  }, [picture, closure, lighting]);
  return closure;
}
