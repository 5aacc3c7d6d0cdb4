/** Credits as they are stored: what there is in all, and every change, which nothing ever removes. */

import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../../../shared/keys.ts";
import { nanoSchema } from "../../../shared/receipts.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const totalSchema = z.object({
  /** Nano-USD. */
  total: nanoSchema,
  /** How many changes it took. */
  entries: z.int(),
  /** Credits were taken away as a limit; the row keeps the count of changes. */
  cleared: z.literal(true).optional(),
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
  /** The change took the limit away. */
  cleared: z.literal(true).optional(),
  reason: z.string(),
  by: keyHashSchema,
});
export type CreditEntry = z.infer<typeof entrySchema>;

/** The total that is a limit: undefined before the first change, and after the limit was cleared. */
export async function findCreditLimit(store: Store): Promise<number | undefined> {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  return found?.record.cleared ? undefined : found?.record.total;
}

/** By their number, from 1. */
export const creditEntries = (store: Store): Collection<typeof entrySchema> =>
  new Collection({ store, name: "credit_entries", schema: entrySchema });
