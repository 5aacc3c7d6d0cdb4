/** Tests of providers: one short call, by which a manager sees whether a model answers there. */

import * as z from "zod";
import type { ManagementOperation } from "../operation.ts";

/** Output tokens of a test, at most. */
export const TEST_OUTPUT_TOKENS = 16;

const providerTestSchema = z.object({
  /** Whether an answer came. */
  ok: z.boolean(),
  provider: z.string(),
  model: z.string(),
  endpoint_id: z.string(),
  /** HTTP status of the provider; null where it gave none. */
  status: z.int().nullable(),
  /** Milliseconds until the answer began or the call failed, and in all. */
  latency_ms: z.number(),
  total_ms: z.number(),
  /** The beginning of the answer; null where there is none. */
  answer: z.string().nullable(),
  /** Error of the call, in the provider's words where it said some, without keys; null where an answer came. */
  error: z.string().nullable(),
  /** Receipt of the call, by which `GET /generation` finds it. */
  receipt_id: z.string(),
});
export type ProviderTest = z.infer<typeof providerTestSchema>;

export const providerApi = {
  "providers.test": {
    method: "POST",
    path: "/providers/:slug/test",
    who: ["management"],
    errors: "other",
    summary: "Calls a model of a provider once, with few tokens, and tells what came of it.",
    verb: "test provider",
    body: z.strictObject({
      model: z.string().min(1).max(500),
      /** The workspace whose key makes the call; the default workspace unless it is named. */
      workspace_id: z.uuid().toLowerCase().optional(),
    }),
    output: z.object({ data: providerTestSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
