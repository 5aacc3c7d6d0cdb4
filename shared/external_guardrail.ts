/** Schema of an external guardrail, and the contract with its service (docs/guardrails.md, External guardrails). */

import * as z from "zod";

/** Texts that guardrails read, by whose they are. */
export const guardedSides = ["input", "output", "tools"] as const;
export type GuardedSide = typeof guardedSides[number];

export const externalGuardrailSchema = z.strictObject({
  type: z.literal("http"),
  /** Called by POST; public, or allowed by the setting `fetch.allowed_hosts`. */
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  /** A variable of the environment that the settings name in `fetch.header_env`: the value of `authorization`. */
  header_env: z.string().min(1).max(200).nullable().default(null),
  /** Milliseconds that each call may take. */
  timeout_ms: z.int().min(100).max(30_000).default(5_000),
  /** Behaviour where the service gives no proper answer: `closed` blocks, `open` lets the texts through. */
  fail: z.enum(["closed", "open"]).default("closed"),
  /** `input`: what is sent to models; `output`: what they answer; `tools`: what server tools and plugins bring. */
  on: z.array(z.enum(guardedSides)).min(1).max(3).default(["input", "output"]),
  /** Worked out: why a field would be refused if it were saved now, and which one. A client may send both back. */
  fault: z.string().optional(),
  fault_at: z.enum(["url", "header_env"]).optional(),
});
export type ExternalGuardrail = z.output<typeof externalGuardrailSchema>;

/** A text and where it stands: `input.0.parts.0.text`. */
export interface ExternalText {
  readonly path: string;
  readonly text: string;
}

/** All that a service is told. */
export interface ExternalRequest {
  readonly version: 1;
  readonly guardrail_id: string;
  readonly side: GuardedSide;
  readonly model: string | null;
  readonly key_hash: string;
  readonly workspace_id: string;
  readonly texts: readonly ExternalText[];
}

/** Names of what was found; they go into errors, metadata and receipts, so they must not repeat the text. */
const patterns = z.array(z.string().min(1).max(100)).max(50).default([]);

export const externalReplySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("allow") }),
  z.object({ action: z.literal("block"), patterns }),
  z.object({
    action: z.literal("replace"),
    patterns,
    /** By path; texts that are not named stay. */
    texts: z.array(z.object({ path: z.string(), text: z.string() })),
  }),
]);
export type ExternalReply = z.output<typeof externalReplySchema>;
