/** Budgets as they are stored: one record a workspace, so that their order is checked and kept in one commit. */

import * as z from "zod";
import { timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const budgetRowSchema = z.object({
  id: z.uuid(),
  /** As it was given, in USD. */
  limit_usd: z.number().positive(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type BudgetRow = z.infer<typeof budgetRowSchema>;

const budgetsSchema = z.object({
  daily: budgetRowSchema.optional(),
  weekly: budgetRowSchema.optional(),
  monthly: budgetRowSchema.optional(),
  lifetime: budgetRowSchema.optional(),
});
export type WorkspaceBudgets = z.infer<typeof budgetsSchema>;

/** By the workspace's id. */
export function budgetCollection(store: Store): Collection<typeof budgetsSchema> {
  return new Collection({ store, name: "workspace_budgets", schema: budgetsSchema });
}
