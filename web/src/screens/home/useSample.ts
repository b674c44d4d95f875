import { useQueryClient } from "@tanstack/react-query";
import { query } from "../../api/client";

/** Fills an empty hub with the sample week; every question is asked anew when it is there. */
export function useSample() {
  const client = useQueryClient();
  return query.useMutation("post", "/api/v1/sample", { onSuccess: () => client.invalidateQueries() });
}
