// How much runs wrote and read, as one series for each job.
import type { Schemas } from "../../api/client";
import { shortName } from "../../model/nodes";
import { millis } from "../../model/times";
import type { Series } from "../../ui/TimeChart";

export type Volume = Schemas["VolumePoint"];
export type Figure = "rowCount" | "size" | "fileCount";
/** As many as colours can be told apart. */
const MOST_SERIES = 5;

const NOBODY = "told without a job";
const OTHERS = "other jobs";

/** The jobs that told most often have lines of their own. */
export function seriesOf(points: Volume[], figure: Figure): Series[] {
  const byJob = new Map<string, { name: string; namespace: string; points: Volume[] }>();
  for (const point of points) {
    if (point[figure] === null) continue;
    const key = point.job ? JSON.stringify([point.job.namespace, point.job.name]) : "";
    const group = byJob.get(key) ?? { name: point.job?.name ?? "", namespace: point.job?.namespace ?? "", points: [] };
    group.points.push(point);
    byJob.set(key, group);
  }
  const groups = [...byJob.values()].sort((a, b) => b.points.length - a.points.length);
  const own = groups.length > MOST_SERIES + 1 ? groups.slice(0, MOST_SERIES) : groups;
  const rest = groups.slice(own.length).flatMap((group) => group.points);
  const titles = titlesOf(own);
  const drawn = own.map((group, index) => ({ name: titles[index] ?? "", points: group.points }));
  if (rest.length > 0) drawn.push({ name: OTHERS, points: rest });
  return drawn.map(({ name, points: found }) => ({
    name,
    points: found.map((point) => ({ at: millis(point.at), value: point[figure] })).sort((a, b) => a.at - b.at),
  }));
}

/** The part of a name that people say, where that tells them apart. */
function titlesOf(jobs: { name: string; namespace: string }[]): string[] {
  const short = jobs.map(({ name }) => shortName(name));
  const whole = jobs.map(({ name }) => name);
  return jobs.map(({ namespace, name }, index) => {
    if (!name) return NOBODY;
    if (short.filter((one) => one === short[index]).length === 1) return short[index] ?? name;
    return whole.filter((one) => one === name).length === 1 ? name : `${namespace} ${name}`;
  });
}

/** The run behind a moment of a chart. */
export function runAt(points: Volume[], at: number): string | null {
  return points.find((point) => millis(point.at) === at && point.run !== null)?.run ?? null;
}

export function has(points: Volume[], figure: Figure): boolean {
  return points.some((point) => point[figure] !== null);
}
