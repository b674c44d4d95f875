// The keyboard went to a box: the focus follows, once the box is drawn.
import { type RefObject, useContext, useEffect, useRef } from "react";
import { LightingContext } from "./lighting";

export function useFocusAt(isAt: boolean): RefObject<HTMLButtonElement | null> {
  const lighting = useContext(LightingContext);
  const button = useRef<HTMLButtonElement>(null);
  const isDrawn = useRef(false);
  useEffect(() => {
    const wasDrawn = isDrawn.current;
    isDrawn.current = true;
    if (!isAt || !lighting.isByKey) return;
    const focus = () => {
      // Whoever has gone elsewhere in the meantime is left in peace there.
      const canvas = button.current?.closest("[data-canvas]");
      const { activeElement, body } = document;
      if (activeElement === body || canvas?.contains(activeElement)) button.current?.focus({ preventScroll: true });
    };
    if (wasDrawn) {
      focus();
      return;
    }
    // Where a new box stands has to be found out for its focus: not within the task that drew it and many others.
    const timer = setTimeout(focus);
    return () => clearTimeout(timer);
  }, [isAt, lighting]);
  return button;
}
