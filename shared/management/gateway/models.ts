/** Models as managers see them: what a workspace's keys may use, what it costs, and how its endpoints are. */

import * as z from "zod";
import { timestampSchema } from "../../keys.ts";
import { type ManagementOperation, pageQuery } from "../operation.ts";
import { endpointStandings } from "../status.ts";

const text = z.string().nullable();
const count = z.int().nullable();

const priceShape = {
  /** USD per unit, in the words of `GET /models`. */
  pricing: z.record(z.string(), z.unknown()),
  unpriced: z.boolean(),
  /** Source and day of the price; null where the operator or this version states it, or nobody does. */
  price_source: z.object({ name: z.string(), date: z.string() }).nullable(),
};

const modelEndpointSchema = z.object({
  endpoint_id: z.string(),
  provider: z.string(),
  provider_name: z.string(),
  /** Name of the model there. */
  upstream_model: z.string(),
  /** Called with the workspace's own key. */
  is_byok: z.boolean(),
  /** Whether the workspace's guardrails leave it. */
  allowed: z.boolean(),
  /** Why they do not: end of a sentence that begins with the endpoint. */
  reason: text,
  ...priceShape,
  max_output_tokens: count,
  quantization: text,
  region: text,
  standing: z.enum(endpointStandings),
  /** When it is tried again; null while it is well, and where the next request tries it. */
  rests_until: timestampSchema.nullable(),
  /** Reason of its last failure, in words. */
  last_failure: text,
  /** Milliseconds to the first chunk and output tokens a second, medians of 30 minutes; null where nothing was measured. */
  p50_ms: z.number().nullable(),
  tokens_per_second: z.number().nullable(),
  /** Share of the model's requests at the provider that did not fail, of the last 24 hours, 0–100; null without any. */
  uptime_last_1d: z.number().nullable(),
  requests_1d: z.int(),
});

const managedModelSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: text,
  /** Unix seconds; 0 where nobody knows. */
  created: z.int(),
  context_length: count,
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  supported_parameters: z.array(z.string()),
  /** Names of the voices that it speaks with, as far as somebody has listed them. */
  supported_voices: z.array(z.string()),
  /** Whether any endpoint is left. */
  allowed: z.boolean(),
  /** Prices of the first endpoint that is left, or else of the first. */
  ...priceShape,
  endpoints: z.array(modelEndpointSchema),
});
export type ManagedModel = z.infer<typeof managedModelSchema>;
export type ModelEndpoint = z.infer<typeof modelEndpointSchema>;

const emptyAsAbsent = z.literal("").transform(() => undefined);

export const modelApi = {
  "models.list": {
    method: "GET",
    /** Without `workspace_id` the path is the list that every key may read. */
    path: "/models",
    who: ["management"],
    errors: "models",
    summary: "Lists models with what a workspace's guardrails leave of them, prices, and how endpoints are.",
    verb: "list models",
    query: z.object({
      workspace_id: z.uuid().toLowerCase(),
      /** Words of the id or the name, in any case; each has to be found. */
      q: z.union([emptyAsAbsent, z.string().max(500)]).optional(),
      offset: pageQuery.offset,
      limit: z.union([emptyAsAbsent, z.coerce.number().pipe(z.int().min(1).max(1_000))]).optional(),
    }),
    output: z.object({ data: z.array(managedModelSchema), total_count: z.int() }),
  },
} as const satisfies Record<string, ManagementOperation>;
