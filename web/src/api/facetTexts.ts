// The facets of a dataset, a job or a run, each as text: a number that JavaScript can't hold is shown as it was told.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { layOut, memberText, membersOf } from "../model/exactJson";
import { type Name } from "../model/nodes";
import { api } from "./client";

export interface FacetText {
  name: string;
  /** Laid out on lines. */
  text: string;
}

/** Whose facets are meant; `told` are those that were read already, so that newer ones are asked for. */
export type FacetsOf =
  { kind: "dataset" | "job"; of: Name; told: unknown } | { kind: "run"; id: string; told: unknown };

export function useFacetTexts(whose: FacetsOf) {
  const { kind, told } = whose;
  const question = useQuery({
    queryKey: ["facets", kind, whose.kind === "run" ? whose.id : whose.of],
    queryFn: async ({ signal }): Promise<FacetText[]> => {
      const { data, error } = await answerTo(whose, signal);
      if (error !== undefined || data === undefined) throw error ?? new Error("no answer");
      return facetTexts(data);
    },
  });
  const { refetch, isFetched } = question;
  useEffect(() => {
    if (isFetched) void refetch();
    // Only news of the facets makes them worth another question.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [told]);
  return question;
}

function answerTo(whose: FacetsOf, signal: AbortSignal): Promise<{ data?: string; error?: unknown }> {
  const asText = { parseAs: "text", signal } as const;
  if (whose.kind === "run") {
    return api.GET("/api/v1/jobs/runs/{run_id}", { params: { path: { run_id: whose.id } }, ...asText });
  }
  const { namespace, name } = whose.of;
  return whose.kind === "dataset"
    ? api.GET("/api/v1/namespaces/{namespace}/datasets/{dataset}", {
        params: { path: { namespace, dataset: name } },
        ...asText,
      })
    : api.GET("/api/v1/namespaces/{namespace}/jobs/{job}", { params: { path: { namespace, job: name } }, ...asText });
}

/** Of the whole answer. */
export function facetTexts(answer: string): FacetText[] {
  return membersOf(memberText(answer, "facets") ?? "{}").map(([name, text]) => ({ name, text: layOut(text) }));
}
