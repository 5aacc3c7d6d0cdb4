/** Alerts: every kind that there is, and what each of them tells. */

import * as z from "zod";
import { budgetIntervals } from "../budget_intervals.ts";
import { timestampSchema } from "../keys.ts";

/** Percentages of a limit; each is told of once a period, when so much is spent. */
export const alertThresholds = [50, 80, 100] as const;

const crossing = {
  threshold: z.literal(alertThresholds),
  interval: z.enum(budgetIntervals),
  /** The day, the ISO week, the month (`2026-11-21`, `2026-W47`, `2026-11`), or `lifetime`. UTC. */
  period: z.string(),
  /** USD. */
  limit: z.number(),
  spent: z.number(),
};

const key = { key_hash: z.string(), key_name: z.string(), workspace_id: z.string() };

const served = { provider: z.string(), model: z.string() };

const alertOf = <const K extends string, S extends z.core.$ZodLooseShape>(type: K, data: S) =>
  z.object({ type: z.literal(type), timestamp: timestampSchema, data: z.object(data) });

/** The closed table of kinds. */
export const alertSchema = z.discriminatedUnion("type", [
  alertOf("key_limit", { ...key, ...crossing }),
  alertOf("workspace_budget", { workspace_id: z.string(), workspace_name: z.string(), ...crossing }),
  alertOf("credits", crossing),
  alertOf("key_expiring", { ...key, expires_at: timestampSchema }),
  /** `reason`: why the last attempt failed. */
  alertOf("destination_failing", {
    ...{ destination_id: z.string(), destination_name: z.string(), workspace_id: z.string() },
    ...{ since: timestampSchema, reason: z.string().nullable() },
  }),
  /** `reason`: of its last failure, in words. */
  alertOf("endpoint_down", { ...served, since: timestampSchema, reason: z.string().nullable() }),
  /** `day`: UTC, of the requests; `overrun`: USD beyond limits. */
  alertOf("overrun", { day: z.iso.date(), overrun: z.number() }),
  /** `answer_ms`: of the last write that was tried; null: it failed. */
  alertOf("store_slow", { since: timestampSchema, answer_ms: z.number().nullable() }),
  alertOf("prices_old", { source: z.string(), date: z.string(), age_days: z.int(), models: z.int() }),
  alertOf("model_retiring", { ...served, date: z.iso.date(), successor: z.string().nullable() }),
]);
export type Alert = z.infer<typeof alertSchema>;

export const alertKinds: readonly Alert["type"][] = alertSchema.options.map(({ shape }) => shape.type.value);

/** Ends of alerts and of attempts to send them; `lost`: given up. */
export const alertOutcomes = ["raised", "sent", "failed", "lost"] as const;
export type AlertOutcome = (typeof alertOutcomes)[number];

/** How the sending of an alert stands. */
export const alertStatuses = ["waiting", "sent", "lost"] as const;

/** An alert of the last days. */
export const alertRecordSchema = z.object({
  /** That of the message, its `webhook-id` and the `id` of its body. */
  id: z.string(),
  /** The message's body without its `id`. */
  alert: alertSchema,
  status: z.enum(alertStatuses),
  /** When it had arrived or was given up; null while it waits. */
  ended_at: timestampSchema.nullable(),
});
export type AlertRecord = z.infer<typeof alertRecordSchema>;

/** Forms of a webhook's body. */
export const alertFormats = ["json", "slack"] as const;
export type AlertFormat = (typeof alertFormats)[number];
