/** Facts of models and endpoints that the list for managers reads; `composition.ts` has them. */

import type { FactSource } from "../../../shared/models.ts";
import type { Endpoint, Model } from "../../providers/endpoint.ts";
import type { EndpointHealthRecord } from "../status/status_source.ts";

export interface SeenEndpoint
  extends Pick<EndpointHealthRecord, "standing" | "restsForSeconds" | "reason" | "p50Ms"> {
  readonly endpoint: Endpoint;
  /** Why the workspace's guardrails take it out; undefined where they leave it. */
  readonly refusal?: string;
  /** Today's prices, as the API has them. */
  readonly pricing: Readonly<Record<string, unknown>>;
  readonly priceSource?: FactSource;
  /** Median of output tokens a second. */
  readonly tokensPerSecond?: number;
}

export interface SeenModel {
  readonly model: Model;
  readonly endpoints: readonly SeenEndpoint[];
}

export interface ModelSource {
  /** The models that are listed, for the keys of a workspace. Rejects with an ApiError where the store does not answer. */
  readonly modelsOf: (workspaceId: string) => Promise<readonly SeenModel[]>;
}
