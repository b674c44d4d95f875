// The hub's API, typed by its own description: a member that the hub doesn't have is an error when the page is built.
import { QueryClient } from "@tanstack/react-query";
import createFetch from "openapi-fetch";
import createQuery from "openapi-react-query";
import { BASE } from "./base";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

export const api = createFetch<paths>({
  baseUrl: BASE.replace(/\/$/, ""),
});

/** `query.useQuery("get", "/api/v1/…", { params: { path, query } })`: kept, shared and asked again by its address. */
export const query = createQuery(api);

/** One shape for every error of the hub; what isn't one of those never reached it. */
export interface Problem {
  code: number;
  message: string;
  action: string | null;
}

export function problemOf(error: unknown): Problem {
  if (typeof error === "object" && error !== null && "message" in error) {
    const told = error as { code?: unknown; message: unknown; action?: unknown };
    if (typeof told.code === "number") {
      return {
        code: told.code,
        message: String(told.message),
        action: told.action == null ? null : String(told.action),
      };
    }
  }
  return { code: 0, message: "The hub doesn't answer.", action: "See that it runs, then try again." };
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // What the hub refuses, it refuses again; only a hub that isn't there is asked once more.
        retry: (failures, error) => failures < 2 && [0, 503].includes(problemOf(error).code),
      },
    },
  });
}
