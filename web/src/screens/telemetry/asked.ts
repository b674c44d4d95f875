// What a screen was asked for, as its address has it.
import { changed, type Changes, useParams } from "../../model/params";

/** An address of the page in the same stretch of time. */
export function inSameTime(path: string, params: URLSearchParams, more: Changes = {}): string {
  const time = new URLSearchParams();
  for (const name of ["range", "from", "to"]) {
    const value = params.get(name);
    if (value) time.set(name, value);
  }
  const text = changed(time, more).toString();
  return text ? `${path}?${text}` : path;
}

export function useAsked(): [URLSearchParams, (changes: Changes) => void] {
  return useParams();
}
