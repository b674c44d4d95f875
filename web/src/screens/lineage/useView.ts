// The view in the address, and a way to change it that stays the same function.
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useLocation } from "wouter";
import { useParams } from "../../model/params";
import { readView, type View, writeView } from "./address";
import { useSame } from "./useSame";

export type Change = (change: Partial<View> | ((view: View) => Partial<View>), step?: "push" | "replace") => void;

export function useView(): [View, Change] {
  const [params] = useParams();
  const [, navigate] = useLocation();
  const read = useMemo(() => readView(params), [params]);
  const more = useSame(read.more);
  const open = useSame(read.open);
  const tall = useSame(read.tall);
  const folded = useSame(read.folded);
  const view = useMemo(() => ({ ...read, more, open, tall, folded }), [read, more, open, tall, folded]);
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
  }, [view]);
  const change = useCallback<Change>(
    (what, step = "replace") => {
      const next = { ...latest.current, ...(typeof what === "function" ? what(latest.current) : what) };
      latest.current = next;
      navigate(`/lineage?${writeView(next)}`, { replace: step === "replace" });
    },
    [navigate],
  );
  return [view, change];
}
