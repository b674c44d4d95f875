// The names in the page's address. Read from the address itself: a router that unescapes a path once too often loses
// names with per cent signs in them.
import { useLocation } from "wouter";
import { BASE } from "../api/base";

export function segmentsOf(pathname: string, base: string): string[] {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname.replace(/^\//, "");
  return rest.split("/").map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
}

/** The segments of the address after the base, unescaped: `["datasets", "s3://lake", "a/b"]`. */
export function useSegments(): string[] {
  useLocation();
  return segmentsOf(window.location.pathname, BASE);
}
