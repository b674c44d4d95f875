// The hub's API, typed by its own description: a member that the hub doesn't have is an error when the page is built.
import { QueryClient } from "@tanstack/react-query";
import createFetch from "openapi-fetch";
import createQuery from "openapi-react-query";
import { withLargeNumbersAsText } from "../model/exactJson";
import { BASE } from "./base";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

export const api = createFetch<paths>({
  baseUrl: BASE.replace(/\/$/, ""),
});

// Attributes of spans and logs are whatever a program counts: a number of 20 digits is shown as it was sent.
const WITH_ATTRIBUTES = /\/(traces?|logs)\b/;

api.use({
  async onResponse({ response, schemaPath, options }) {
    if (!response.ok || options.parseAs !== "json" || !WITH_ATTRIBUTES.test(schemaPath)) return undefined;
    const headers = new Headers(response.headers);
    headers.delete("Content-Length");
    return new Response(withLargeNumbersAsText(await response.text()), { status: response.status, headers });
  },
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
