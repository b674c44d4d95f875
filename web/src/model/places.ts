// Things a person looked at or starred, for the search box and the home screen.
import { readStored, useStored, writeStored } from "./stored";
import type { Name } from "./nodes";

export interface Place extends Name {
  kind: "dataset" | "job";
}

const MOST_RECENT = 20;
const NONE: Place[] = [];

export function samePlace(a: Place, b: Place): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

export function withVisit(places: Place[], place: Place): Place[] {
  return [place, ...places.filter((one) => !samePlace(one, place))].slice(0, MOST_RECENT);
}

export function rememberVisit(place: Place): void {
  writeStored("recent", withVisit(readStored("recent", NONE), place));
}

export function useRecent(): Place[] {
  return useStored("recent", NONE)[0];
}

export function useStars(): { stars: Place[]; isStarred: (place: Place) => boolean; toggle: (place: Place) => void } {
  const [stars, setStars] = useStored("stars", NONE);
  const isStarred = (place: Place) => stars.some((one) => samePlace(one, place));
  const toggle = (place: Place) =>
    setStars(isStarred(place) ? stars.filter((one) => !samePlace(one, place)) : [...stars, place]);
  return { stars, isStarred, toggle };
}
