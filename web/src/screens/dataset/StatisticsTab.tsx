import { useState } from "react";
import { useLocation } from "wouter";
import { query } from "../../api/client";
import type { Schemas } from "../../api/client";
import { type Name, paths } from "../../model/nodes";
import { bytesText, manyText, shortText } from "../../model/numbers";
import { Columns } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer, Empty } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { pathOf } from "./dataset-path";
import { LookedBack } from "./QualityTab";
import { type Figure, has, runAt, seriesOf } from "./volumes";

const FIRST = 1_000;
const MOST = 10_000;
const FIGURES: { figure: Figure; title: string; format: (value: number) => string }[] = [
  { figure: "rowCount", title: "Rows", format: shortText },
  { figure: "size", title: "Bytes", format: bytesText },
  { figure: "fileCount", title: "Files", format: shortText },
];

/** How much came and went, run by run. */
export function StatisticsTab({ of }: { of: Name }) {
  const [events, setEvents] = useState(FIRST);
  const volumes = query.useQuery("get", "/api/v1/namespaces/{namespace}/datasets/{dataset}/statistics", {
    params: { path: pathOf(of), query: { limit: events } },
  });
  return (
    <Answer of={volumes}>
      {({ written, read, truncated, lookedBackTo, eventsLookedAt }) =>
        written.points.length + read.points.length === 0 ? (
          <Empty>
            No run has told how much it wrote or read. Producers do so with the <code>outputStatistics</code> and{" "}
            <code>inputStatistics</code> facets.
          </Empty>
        ) : (
          <>
            {truncated && (
              <LookedBack
                events={eventsLookedAt}
                to={lookedBackTo}
                onMore={events < MOST ? () => setEvents(MOST) : undefined}
              />
            )}
            <Side title="written" series={written} />
            <Side title="read" series={read} />
          </>
        )
      }
    </Answer>
  );
}

function Side({ title, series }: { title: string; series: Schemas["VolumeSeries"] }) {
  const [, go] = useLocation();
  const { points, median } = series;
  if (points.length === 0) return null;
  return (
    <Columns wide>
      {FIGURES.filter(({ figure }) => has(points, figure)).map(({ figure, title: what, format }) => {
        const usual = median[figure];
        return (
          <Section
            key={figure}
            title={`${what} ${title}`}
            note={`${manyText(points.length, "run")}${usual === null ? "" : `, usually ${format(usual)}`}`}
          >
            <TimeChart
              label={`${what} ${title}`}
              series={seriesOf(points, figure)}
              format={format}
              onPick={(at) => {
                const run = runAt(points, at);
                if (run) go(paths.run(run));
              }}
            />
          </Section>
        );
      })}
    </Columns>
  );
}
