/** Credits as they are stored: what there is in all, and every change, which nothing ever removes. */

import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../../../shared/keys.ts";
import { nanoSchema } from "../../../shared/receipts.ts";
import { Collection } from "../../stores/collection.ts";
import type { Store } from "../../stores/store.ts";

const totalSchema = z.object({
  /** Nano-USD. */
  total: nanoSchema,
  /** How many changes it took. */
  entries: z.int(),
});

/** One row, `account`; absent until credits are first set. */
export const creditTotals = (store: Store): Collection<typeof totalSchema> =>
  new Collection({ store, name: "credits", schema: totalSchema });

export const ACCOUNT_CREDITS = "account";

const entrySchema = z.object({
  id: z.string(),
  at: timestampSchema,
  /** Nano-USD; negative: taken away. */
  amount: nanoSchema,
  total: nanoSchema,
  reason: z.string(),
  by: keyHashSchema,
});
export type CreditEntry = z.infer<typeof entrySchema>;

/** By their number, from 1. */
export const creditEntries = (store: Store): Collection<typeof entrySchema> =>
  new Collection({ store, name: "credit_entries", schema: entrySchema });
