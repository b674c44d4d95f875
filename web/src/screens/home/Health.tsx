import { paths } from "../../model/nodes";
import { countText, manyText, shortText } from "../../model/numbers";
import { Figure, Figures } from "../../ui/Figure";
import { type Overview, rateText, runsText } from "./overview";

interface Props {
  told: Overview;
  /** Of the address, so that a link to a part keeps the stretch. */
  search: string;
}

/** What the sentence above rests on: figures, each a link to what is behind it. */
export function Health({ told, search }: Props) {
  const checks = told.failingChecks.count + told.failingChecks.passing;
  const part = (name: string, count: number, otherwise: string) =>
    count > 0 ? `${paths.home()}${search}#${name}` : otherwise;
  const least = (of: { count: number; truncated: boolean }) =>
    `${of.truncated && of.count > 0 ? "≥ " : ""}${shortText(of.count)}`;
  return (
    <div
      // The address changes without a load: the browser doesn't go to the part by itself.
      onClick={(event) => {
        const link = event.target instanceof Element ? event.target.closest("a") : null;
        const name = link?.hash.slice(1);
        if (name) document.getElementById(name)?.scrollIntoView({ behavior: "smooth" });
      }}
    >
      <Figures>
        <Figure
          title="Runs"
          value={least({ count: told.runs.total, truncated: told.runs.truncated })}
          note={runsText(told.runs) || "none"}
          href={paths.jobs()}
        />
        <Figure
          title="Failed runs"
          value={least(told.failedRuns)}
          tone={told.failedRuns.count > 0 ? "bad" : "idle"}
          note={told.failedRuns.count > 0 ? "with the error and why" : "none"}
          href={part("failed", told.failedRuns.count, paths.jobs())}
        />
        <Figure
          title="Late datasets"
          value={least(told.lateDatasets)}
          tone={told.lateDatasets.count > 0 ? "bad" : "idle"}
          note={`of ${manyText(told.counts.datasets, "dataset")}`}
          href={part("late", told.lateDatasets.count, paths.datasets())}
        />
        <Figure
          title="Failing checks"
          value={least(told.failingChecks)}
          tone={told.failingChecks.count > 0 ? "bad" : "idle"}
          note={
            checks > 0
              ? `of ${manyText(checks, "check")}`
              : told.failingChecks.truncated
                ? "none so far"
                : "no checks told of"
          }
          href={part("checks", told.failingChecks.count, paths.datasets())}
        />
        <Figure
          title="Schema changes"
          value={least(told.schemaChanges)}
          note={told.schemaChanges.count > 0 ? "of datasets' columns" : "none"}
          href={part("schemas", told.schemaChanges.count, paths.datasets())}
        />
        <Figure
          title="Events a minute"
          value={rateText(told.events.perMinute)}
          note={`${countText(told.events.total)} in all this time`}
          href={paths.events()}
        />
        {told.silentProducers.count > 0 && (
          <Figure
            title="Silent producers"
            value={least(told.silentProducers)}
            tone="warn"
            note="longer than usual"
            href={part("silent", told.silentProducers.count, paths.home())}
          />
        )}
        {(told.deadLetters ?? 0) > 0 && (
          <Figure
            title="Dead letters"
            value={shortText(told.deadLetters ?? 0)}
            tone="warn"
            note="mend and replay"
            href={paths.deadLetters()}
          />
        )}
      </Figures>
    </div>
  );
}
