/** What is read from receipts (promises M7; wire-reference §9.6). */

import * as z from "zod";
import type { receiptApi } from "../../../shared/management/receipts.ts";
import { Refusal } from "../../../shared/errors.ts";
import { shown } from "../../../shared/validation/validate.ts";
import { type Caller, keyHashSchema, timestampSchema } from "../../../shared/keys.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { type Receipts, receiptsOf } from "../../ledger/journal/receipt_reader.ts";
import { readCursor, writeCursor } from "../../ledger/index/receipt_cursor.ts";
import { listReceipts } from "../../ledger/index/receipt_list.ts";
import { Collection } from "../../stores/collection.ts";
import type { Store } from "../../stores/store.ts";
import type { Acts, Asked } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { lineOf } from "../keys/key_lineage.ts";
import { keyRows } from "../keys/key_rows.ts";
import { generationOf, receiptRecord } from "./serialize_receipt.ts";
import { askedBy } from "../core/write.ts";

type Api = typeof receiptApi;
type ReceiptDeps = Pick<AdminDeps, "store" | "world" | "audit" | "ledger">;

const DEFAULT_LIMIT = 50;

export function receiptActs(deps: ReceiptDeps): Acts<Api> {
  const receipts = receiptsOf(deps.store);
  const found = (asked: Pick<Asked, "caller">, id: string) => find({ ...deps, receipts }, { ...asked, id });
  return {
    "generations.get": async (asked) => ({ data: generationOf(await found(asked, asked.query.id)) }),
    "generations.content": async (asked) => {
      await found(asked, asked.query.id);
      throw new Refusal("not_found", "The content of this generation is not stored.");
    },
    "generations.feedback": async (asked) => {
      await found(asked, asked.body.generation_id);
      await keepFeedback(deps, asked);
      return { data: { success: true } };
    },
    "receipts.list": (asked) => list({ ...deps, receipts }, asked),
  };
}

interface FindDeps extends Pick<ReceiptDeps, "store" | "ledger"> {
  readonly receipts: Receipts;
}

interface Wanted {
  readonly caller: Caller;
  readonly id: string;
}

/** Absent and not theirs are one answer, after the same looks at the store (security.md 3.1, API1). */
async function find({ store, receipts, ledger }: FindDeps, { caller, id }: Wanted): Promise<Receipt> {
  await ledger.posted();
  const receipt = await receipts.receipt(id);
  if (caller.kind === "management" && receipt !== undefined) return receipt;
  const row = await keyRows(store).get(caller.keyHash);
  const own = await lineOf(store, row?.record ?? { hash: caller.keyHash, ledger_id: null });
  if (receipt !== undefined && own.has(receipt.key_hash)) return receipt;
  throw new Refusal("not_found", "There is no generation with this id.");
}

const feedbackSchema = z.object({
  generation_id: z.string(),
  category: z.string(),
  comment: z.string().nullable(),
  at: timestampSchema,
  by: keyHashSchema,
});

/** Below the generation's id, by time. */
export const feedbackRows = (store: Store): Collection<typeof feedbackSchema> =>
  new Collection({ store, name: "generation_feedback", schema: feedbackSchema });

async function keepFeedback(
  { store, world, audit }: ReceiptDeps,
  asked: Asked<Api["generations.feedback"]>,
): Promise<void> {
  const { generation_id, category, comment = null } = asked.body;
  const at = world.clock.now();
  const row = { generation_id, category, comment, at: new Date(at).toISOString(), by: asked.caller.keyHash };
  const change = {
    ...askedBy(asked),
    operation: "generations.feedback",
    subject: { type: "generation", id: generation_id },
    before: null,
    after: { category, comment },
  };
  const put = feedbackRows(store).put([generation_id, at, world.id()], row);
  await store.commit({ puts: [put, audit.put(change)] });
}

async function list({ store, receipts, ledger }: FindDeps, { query }: Asked<Api["receipts.list"]>) {
  const before = query.before === undefined ? undefined : readCursor(query.before);
  if (query.before !== undefined && before === undefined) {
    const message = `Cannot list receipts: before is ${
      shown(query.before)
    }, allowed is the next of another page`;
    throw new Refusal("invalid_request", message, { metadata: { path: "before" } });
  }
  const { api_key_hash: key, workspace_id: workspace, model, provider, status } = query;
  await ledger.posted();
  const page = await listReceipts({ store, blocks: receipts }, {
    filters: { key, workspace, model, provider, status },
    before,
    limit: query.limit ?? DEFAULT_LIMIT,
  });
  return {
    data: page.receipts.map(receiptRecord),
    missing: page.missing,
    next: page.next === undefined ? null : writeCursor(page.next),
  };
}
