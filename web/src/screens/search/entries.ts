// What the search box offers: places that match, screens, ids that can be opened; in groups, each with an address.
import { type Name, nodeId, paths } from "../../model/nodes";
import { type Place, samePlace } from "../../model/places";
import type { Match } from "./marks";

export interface Result extends Name {
  type: "JOB" | "DATASET";
  nodeId: string;
  matches: Match[];
  tags: string[];
  owners: string[];
  use: { linked: number; lastAt: string };
  deleted?: boolean;
  namedOnly?: boolean;
}

export type Entry =
  | { as: "place"; key: string; href: string; lineage: string; place: Place; result: Result | undefined }
  | { as: "screen"; key: string; href: string; title: string; note: string };

export interface Group {
  title: string;
  entries: Entry[];
}

const SCREENS: [string, string, string][] = [
  ["Home", paths.home(), "is everything all right?"],
  ["Datasets", paths.datasets(), "tables, files, topics"],
  ["Jobs", paths.jobs(), "and their runs"],
  ["Pipelines", paths.pipelines(), "start one, watch it"],
  ["Telemetry", paths.telemetry(), "success, durations, records"],
  ["Traces", paths.traces(), "search in spans"],
  ["Services", paths.services(), "who calls whom"],
  ["Events", paths.events(), "as they were sent, live"],
  ["Dead letters", paths.deadLetters(), "rejected events: mend and replay"],
];

function placeEntry(place: Place, result?: Result): Entry {
  const id = nodeId(place.kind, place);
  return {
    as: "place",
    key: id,
    href: place.kind === "dataset" ? paths.dataset(place) : paths.job(place),
    lineage: paths.lineage(id),
    place,
    result,
  };
}

function screens(text: string): Entry[] {
  const wanted = text.trim().toLowerCase();
  return SCREENS.filter(([title]) => wanted === "" || title.toLowerCase().includes(wanted)).map(
    ([title, href, note]) => ({
      as: "screen",
      key: href,
      href,
      title,
      note,
    }),
  );
}

const RUN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACE = /^[0-9a-f]{32}$/i;
const EVENT = /^[0-9a-f]{48}$/i;

/** An id that somebody pasted out of a log is opened by what it looks like. */
function byId(text: string): Entry[] {
  const id = text.trim();
  const open = (title: string, href: string): Entry[] => [{ as: "screen", key: href, href, title, note: id }];
  if (RUN.test(id)) return open("Open the run", paths.run(id));
  if (TRACE.test(id)) return open("Open the trace", paths.trace(id));
  if (EVENT.test(id)) return open("Open the event", paths.event(id));
  return [];
}

export function groupsFor(text: string, results: Result[], stars: Place[], recent: Place[]): Group[] {
  const groups: Group[] =
    text.trim() === ""
      ? [
          { title: "Starred", entries: stars.map((place) => placeEntry(place)) },
          {
            title: "Recent",
            entries: recent
              .filter((place) => !stars.some((star) => samePlace(star, place)))
              .slice(0, 8)
              .map((place) => placeEntry(place)),
          },
          { title: "Screens", entries: screens("") },
        ]
      : [
          { title: "By id", entries: byId(text) },
          {
            title: "Datasets and jobs",
            entries: results.map((one) =>
              placeEntry(
                { kind: one.type === "JOB" ? "job" : "dataset", namespace: one.namespace, name: one.name },
                one,
              ),
            ),
          },
          { title: "Screens", entries: screens(text) },
        ];
  return groups.filter((group) => group.entries.length > 0);
}
