// Pipelines that a hub can run, as it lists them.
import type { Schemas } from "../../api/client";

export type Run = Schemas["PipelineRun"];
export type Stage = Schemas["PipelineStage"];

export interface Parameter {
  name: string;
  type: string;
  default: string | null;
  description: string;
  pattern: string | null;
  choices: string[] | null;
}

export interface OfferedStage {
  name: string;
  kind: string;
  after: string[];
}

export interface Offer {
  /** Of the file: what a request names. */
  name: string;
  /** Of the definition: what runs are named by. */
  pipeline?: string;
  description?: string;
  owners?: string[];
  parameters?: Parameter[];
  stages?: OfferedStage[];
  problem?: string;
}

export function offerOf(offers: Offer[], run: Run): Offer | undefined {
  return offers.find((one) => one.pipeline === run.pipeline) ?? offers.find((one) => one.name === run.pipeline);
}
