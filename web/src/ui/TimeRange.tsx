// A stretch of time in the address of the page: the last hours or days, or two moments.
import { useMemo } from "react";
import { useParams } from "../model/params";
import { between, lastHours, type Range, RANGES, type Stretch } from "../model/stretches";
import { millis, minuteText } from "../model/times";
import { Select } from "./Field";

export type { Stretch } from "../model/stretches";

/** `between` stands for two moments that were chosen in a chart. */
type Key = Range | "between";

type Asked = [Stretch, Key, (key: Key) => void, (from: number, to: number) => void];

/** The stretch, what stands for it, and how another is chosen; with another `turn` it ends at the present anew. */
export function useStretch(otherwise: Range = "24h", turn = 0): Asked {
  const [params, setParams] = useParams();
  const [range, from, to] = [params.get("range"), params.get("from"), params.get("to")];
  const [stretch, key] = useMemo((): [Stretch, Key] => {
    const told = between(from, to);
    if (told) return [told, "between"];
    const choice = RANGES.find((one) => one.value === range) ?? RANGES.find((one) => one.value === otherwise);
    return [lastHours(choice?.hours ?? 24, Date.now()), choice?.value ?? otherwise];
    // `turn` only says that the present has moved on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [range, from, to, otherwise, turn]);
  const choose = (next: Key) => {
    if (next === "between") return;
    setParams({ range: next, from: null, to: null });
  };
  const chooseBetween = (first: number, last: number) =>
    setParams({ from: new Date(first).toISOString(), to: new Date(last).toISOString() }, { push: true });
  return [stretch, key, choose, chooseBetween];
}

export function TimeRange({ value, onChoose }: { value: Key; onChoose: (key: Key) => void }) {
  const [params] = useParams();
  const told = between(params.get("from"), params.get("to"));
  const choices: { value: Key; title: string }[] = [...RANGES];
  if (value === "between" && told) {
    choices.unshift({ value, title: `${minuteText(millis(told.from))} – ${minuteText(millis(told.to))}` });
  }
  return <Select label="Time" quiet choices={choices} value={value} onChoose={onChoose} />;
}
