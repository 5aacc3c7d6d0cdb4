/**
 * Keys and budgets that refuse requests by their limit or will soon, keys that are about to expire, and destinations that
 * fail.
 */

import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../keys.ts";
import { budgetIntervals } from "../budget_intervals.ts";
import { type ManagementOperation, workspaceQuery } from "./operation.ts";

/** `reached`: nothing is left of the limit; `nearly`: 90 % and more is spent. */
const limitStandings = ["reached", "nearly"] as const;
export type LimitStanding = (typeof limitStandings)[number];

const keySchema = z.object({
  hash: keyHashSchema,
  name: z.string(),
  workspace_id: z.string(),
  /** USD. */
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  expires_at: timestampSchema.nullable(),
});
export type AttentionKey = z.infer<typeof keySchema>;

const budgetSchema = z.object({
  workspace_id: z.string(),
  interval: z.enum(budgetIntervals),
  /** USD. */
  limit: z.number(),
  limit_remaining: z.number(),
});
export type AttentionBudget = z.infer<typeof budgetSchema>;

const destinationSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  workspace_id: z.string(),
  /** Since when every attempt has failed, and why the last one did. */
  failing_since: timestampSchema,
  last_error: z.string().nullable(),
});
export type AttentionDestination = z.infer<typeof destinationSchema>;

const workspaceStandingSchema = z.object({
  workspace_id: z.string(),
  /** Keys that are neither disabled nor expired. */
  active_keys: z.int(),
  /** Its budgets, from the narrowest interval to the broadest; `spent` in USD of the running interval. */
  budgets: z.array(z.object({
    interval: z.enum(budgetIntervals),
    limit: z.number(),
    spent: z.number(),
  })),
});
export type WorkspaceStanding = z.infer<typeof workspaceStandingSchema>;

/** How many there are, and the first five: the largest limits, those that expire first, or that have failed longest. */
const groupOf = <S extends z.ZodType>(item: S) => z.object({ count: z.int(), first: z.array(item) });

const attentionSchema = z.object({
  /** When limits were compared with what is spent. */
  as_of: timestampSchema,
  /** Active keys. `expiring`: within seven days. */
  keys: z.object({
    reached: groupOf(keySchema),
    nearly: groupOf(keySchema),
    expiring: groupOf(keySchema),
  }),
  /** Budgets of workspaces. */
  budgets: z.object({ reached: groupOf(budgetSchema), nearly: groupOf(budgetSchema) }),
  destinations: z.object({ failing: groupOf(destinationSchema) }),
});
export type AttentionList = z.infer<typeof attentionSchema>;

export const attentionApi = {
  "attention.get": {
    method: "GET",
    path: "/attention",
    who: ["management"],
    errors: "other",
    summary:
      "Counts keys and budgets that are at their limit, nearly there, or about to expire, and destinations that fail, and names five each.",
    verb: "show attention",
    query: z.object({ workspace_id: z.union([z.literal("all"), workspaceQuery]) }),
    output: z.object({ data: attentionSchema }),
  },
  "attention.workspaces": {
    method: "GET",
    path: "/attention/workspaces",
    who: ["management"],
    errors: "other",
    summary: "Counts the active keys of every workspace, and shows its budgets with what is spent of them.",
    verb: "show workspaces' standing",
    output: z.object({ data: z.array(workspaceStandingSchema), as_of: timestampSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;
