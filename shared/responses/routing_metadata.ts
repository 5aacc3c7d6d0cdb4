/** `service_metadata` (gateway-api.md, Routing metadata object; wire-reference §3.10): whole when it is there. */

import * as z from "zod";

const endpoint = z.looseObject({ model: z.string(), provider: z.string(), selected: z.boolean() });

const stage = z.looseObject({
  type: z.string(),
  name: z.string(),
  guardrail_id: z.string().optional(),
  guardrail_scope: z.string().optional(),
  summary: z.string().optional(),
  cost_usd: z.number().nullish(),
  data: z.looseObject({}).optional(),
});

export const routingMetadata = z.looseObject({
  /** The attempt that answered, from 1; 0 when no provider was reached. */
  attempt: z.int().min(0),
  attempts: z.array(z.looseObject({ model: z.string(), provider: z.string(), status: z.int() })).optional(),
  endpoints: z.looseObject({ available: z.array(endpoint), total: z.int().min(0) }),
  /** Milliseconds. */
  generation_time: z.int().optional(),
  is_byok: z.boolean(),
  params: z.looseObject({}).optional(),
  pipeline: z.array(stage),
  region: z.string(),
  requested: z.string(),
  strategy: z.string(),
  summary: z.string(),
});
export type RoutingMetadata = z.infer<typeof routingMetadata>;
