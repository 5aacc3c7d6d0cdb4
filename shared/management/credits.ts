/**
 * The account's credits: what may be spent in all, once it was ever set (specification, Credits, generations,
 * activity, analytics).
 */

import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../keys.ts";
import { toExactNano } from "../money.ts";
import { type ManagementOperation, pageQuery } from "./operation.ts";

/** As much as amounts can be told apart to the nano-USD. */
export const MAX_CREDITS_USD = 9_000_000;

const allowed = `allowed is -${MAX_CREDITS_USD} to ${MAX_CREDITS_USD} without 0, with at most 9 decimals`;

const amountSchema = z.number().refine(
  (usd) => usd !== 0 && Math.abs(usd) <= MAX_CREDITS_USD && toExactNano(Math.abs(usd)) !== undefined,
  { error: ({ input }) => `is ${String(input)}; ${allowed}` },
);

const requested = { who: ["management"], errors: "other" } as const;

const creditsSchema = z.object({
  total_credits: z.number(),
  total_usage: z.number(),
  /** Credits were never added, or cleared since: spend has no limit here. */
  unlimited: z.boolean(),
});

const creditEntrySchema = z.object({
  id: z.string(),
  at: timestampSchema,
  amount_usd: z.number(),
  /** Sum of all credits, behind this entry. */
  total_credits: z.number(),
  /** Credits are no limit from this entry on. */
  unlimited: z.boolean(),
  reason: z.string(),
  /** The management key that made it. */
  by: keyHashSchema,
});

export const creditApi = {
  "credits.get": {
    ...requested,
    method: "GET",
    path: "/credits",
    summary: "Shows total credits and what is spent.",
    verb: "show credits",
    output: z.object({ data: creditsSchema }),
  },
  "credits.add": {
    ...requested,
    method: "POST",
    path: "/credits",
    summary: "Adds credits, or removes them with a negative amount. The first entry makes credits a limit.",
    verb: "change credits",
    idempotent: true,
    body: z.strictObject({ amount_usd: amountSchema, reason: z.string().trim().min(1).max(500) }),
    output: z.object({
      data: creditsSchema,
      /** There where the change made a limit, or left nothing to spend. */
      notice: z.string().optional(),
    }),
  },
  "credits.clear": {
    ...requested,
    method: "DELETE",
    path: "/credits",
    summary: "Takes all credits away, and the limit with them: spend is unlimited again. The history stays.",
    verb: "clear credits",
    output: z.object({ data: creditsSchema }),
  },
  "credits.history": {
    ...requested,
    method: "GET",
    path: "/credits/history",
    summary: "Lists every change of the credits, newest first.",
    verb: "list changes of credits",
    query: z.object(pageQuery),
    output: z.object({ data: z.array(creditEntrySchema), total_count: z.int() }),
  },
} as const satisfies Record<string, ManagementOperation>;
