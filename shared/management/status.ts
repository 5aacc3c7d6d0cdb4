/** The gateway's health as managers see it: endpoints, store, ledger, files, and what went over limits. */

import * as z from "zod";
import { timestampSchema } from "../keys.ts";
import type { ManagementOperation } from "./operation.ts";

/**
 * `cooling_down`: left alone for a moment after failures; `probe`: that moment is over, and the next request tries it;
 * `misconfigured`: its provider refuses the key; one call a minute asks whether that is still so.
 */
export const endpointStandings = ["well", "probe", "cooling_down", "misconfigured"] as const;
export type EndpointStanding = (typeof endpointStandings)[number];

const endpointStatusSchema = z.object({
  endpoint_id: z.string(),
  provider: z.string(),
  provider_name: z.string(),
  model: z.string(),
  /** Called with a workspace's own key, not with the gateway's. */
  is_byok: z.boolean(),
  standing: z.enum(endpointStandings),
  /** When it is tried again; null while it is well, and where the next request tries it. */
  rests_until: timestampSchema.nullable(),
  /** Reason of its last failure, in words; null while it is well. */
  reason: z.string().nullable(),
  /** Where its provider has several keys: how each of them stands, by the name of its variable. */
  keys: z.array(z.object({
    name: z.string(),
    standing: z.enum(endpointStandings),
    rests_until: timestampSchema.nullable(),
    reason: z.string().nullable(),
  })).optional(),
  /**
   * Its origin has sent bytes that belong to no request: until then each connection to it carries one request. Null
   * where connections are used again.
   */
  single_use_until: timestampSchema.nullable(),
  /** Milliseconds to the first chunk, of the last 30 minutes; null where nothing was streamed. */
  p50_ms: z.number().nullable(),
  /** Attempts of the last five minutes, and those that failed by the endpoint's fault. */
  requests_5m: z.int(),
  failures_5m: z.int(),
});
export type EndpointStatus = z.infer<typeof endpointStatusSchema>;

/** `ok` is null where there is nothing to judge. */
const partSchema = z.object({ ok: z.boolean().nullable(), reason: z.string().nullable() });

const gatewayStatusSchema = z.object({
  version: z.string(),
  now: timestampSchema,
  started_at: timestampSchema,
  /** Endpoints that were called since the start, at most 200: those that fail first, then the busiest. */
  endpoints: z.array(endpointStatusSchema),
  /** Counts of all endpoints that were called since the start. */
  endpoint_counts: z.object({
    well: z.int(),
    probe: z.int(),
    cooling_down: z.int(),
    misconfigured: z.int(),
  }),
  /** `answer_ms`: how long it took to answer now. */
  store: partSchema.extend({ answer_ms: z.number().nullable() }),
  ledger: partSchema,
  blobs: partSchema.extend({
    configured: z.boolean(),
    /** Bytes of all files; null where there is no place for files. */
    bytes: z.number().nullable(),
    files: z.int().nullable(),
  }),
  /** Where server tools run code. */
  sandbox: partSchema.extend({
    configured: z.boolean(),
    /** Null where none runs, and for a moment after the start, while bubblewrap is tried. */
    engine: z.enum(["bubblewrap", "virtual"]).nullable(),
    /** Why the engine is not bubblewrap, where the settings leave the choice, and what to do. */
    engine_reason: z.string().nullable(),
  }),
  /** Plugins that would not act by their name alone: a service that they need is not set up. */
  plugins: z.array(z.object({
    id: z.string(),
    /** End of a sentence that begins with the plugin. */
    reason: z.string(),
  })),
  /** The gateways that share the store; null where it has one owner. */
  instances: z.array(z.object({
    id: z.string(),
    /** It has ended without a stop, and another one closes the requests that it has left open. */
    is_ended: z.boolean(),
  })).nullable(),
  overrun: z.object({
    /** USD that went over limits, over all receipts. */
    usd: z.number(),
    receipts: z.int(),
    /** The UTC day of the first receipt; null where there is none. */
    since: z.iso.date().nullable(),
  }),
});
export type GatewayStatus = z.infer<typeof gatewayStatusSchema>;

export const statusApi = {
  "status.get": {
    method: "GET",
    path: "/status",
    who: ["management"],
    errors: "other",
    summary: "Shows the health of endpoints, store, ledger and files, and what went over limits.",
    verb: "show status",
    output: z.object({ data: gatewayStatusSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
