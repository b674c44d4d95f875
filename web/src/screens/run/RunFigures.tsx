import type { Schemas } from "../../api/client";
import { countText, shortText } from "../../model/numbers";
import { stateText, type Tone, toneOf } from "../../model/states";
import { durationText, millis } from "../../model/times";
import { Figure, Figures } from "../../ui/Figure";
import { Time, useNow } from "../../ui/Time";
import { ratioText } from "./figures";
import { rowsOfRun, rowsTogether } from "./volume";

interface Props {
  run: Schemas["RunAnswer"];
  usual: Schemas["Timeline"]["durations"] | undefined;
  live: boolean;
}

export function RunFigures({ run, usual, live }: Props) {
  const now = useNow();
  const began = run.startedAt ? millis(run.startedAt) : undefined;
  const took = run.durationMs ?? (live && began !== undefined ? Math.max(0, now - began) : null);
  const rows = rowsOfRun(run);
  return (
    <Figures>
      <Figure
        title="State"
        value={stateText(run.state)}
        tone={toneOf(run.state)}
        note={run.endedAt && <Time at={run.endedAt} as="second" />}
      />
      <Figure
        title="Started"
        value={<Time at={run.startedAt} as="ago" />}
        note={run.startedAt && <Time at={run.startedAt} as="second" />}
      />
      <Figure
        title={live ? "Duration so far" : "Duration"}
        value={took === null ? "–" : durationText(took)}
        tone={durationTone(took, usual)}
        note={usualNote(took, usual)}
      />
      <Rows title="Rows read" value={rowsTogether(rows, "input")} />
      <Rows title="Rows written" value={rowsTogether(rows, "output")} />
    </Figures>
  );
}

function Rows({ title, value }: { title: string; value: number | null }) {
  return (
    <Figure
      title={title}
      value={value === null ? "–" : <span title={countText(value)}>{shortText(value)}</span>}
      note={value === null ? "not told" : undefined}
    />
  );
}

function durationTone(took: number | null, usual: Props["usual"]): Tone {
  return took !== null && usual?.p95Ms != null && usual.runs >= 4 && took > usual.p95Ms ? "warn" : "idle";
}

function usualNote(took: number | null, usual: Props["usual"]): string | undefined {
  if (usual?.p50Ms == null) return undefined;
  const ratio = took === null ? undefined : ratioText(took, usual.p50Ms);
  const text = `usually ${durationText(usual.p50Ms)}`;
  return ratio && ratio !== "as usual" ? `${ratio}; ${text}` : text;
}
