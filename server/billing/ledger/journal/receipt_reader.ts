/** Receipts as the journal holds them. Of a batch only what is wanted is checked: it has up to forty. */

import * as z from "zod";
import { type Receipt, receiptSchema } from "../../../../shared/receipts.ts";
import { type Store, type StoreEntry, StoreError, type StoreKey } from "../../../storage/stores/store.ts";
import { batchKey, type JournalEntry as JournalEntry, parseBatch } from "./journal_batch.ts";
import { formatKey } from "../../../storage/stores/store_key.ts";
import { corruptRow } from "./json_bytes.ts";
import { lastRetired } from "./recovery/missing_batches.ts";
import { batchPositionOf } from "../projection/projection_part.ts";
import { locateReceipt } from "../index/receipt_ids.ts";
import type { BatchReceiptReader } from "../index/receipt_list.ts";

const entriesSchema = z.object({
  entries: z.array(z.object({ type: z.string(), receipt: z.unknown().optional() })),
});

const CLOSE: JournalEntry["type"] = "close";

const named = z.object({ id: z.string() });

export interface ReceiptReader extends BatchReceiptReader {
  /** By the generation id; undefined when there is none, or it was removed. Throws a StoreError, `corrupt` for one that is lost. */
  receipt(id: string): Promise<Receipt | undefined>;
}

export function createReceiptReader(store: Store): ReceiptReader {
  const receiptsIn = async (key: StoreKey): Promise<readonly unknown[]> => {
    const entry = await store.get(key);
    if (entry === undefined) {
      const [, instance, seq] = key;
      if (Number(seq) <= await lastRetired(store, String(instance))) return [];
      throw new StoreError("corrupt", `Cannot read ${formatKey(key)}: it is gone`);
    }
    return closedIn(entry);
  };
  return {
    receiptsAt: async ({ instance, first }, places) => {
      const receipts: { readonly place: number; readonly receipt: Receipt | undefined }[] = [];
      let batch: { readonly seq: number; readonly all: readonly unknown[] | undefined } | undefined;
      for (const place of places) {
        const { seq, position } = batchPositionOf(first, place);
        const key = batchKey(instance, seq);
        if (batch?.seq !== seq) batch = { seq, all: await unlessDamaged(() => receiptsIn(key)) };
        const { all } = batch;
        if (all === undefined) receipts.push({ place, receipt: undefined });
        else if (position < all.length) {
          receipts.push({ place, receipt: receiptSchema.safeParse(all[position]).data });
        }
      }
      return receipts;
    },
    receipt: async (id) => {
      const found = await locateReceipt(store, id);
      if (found === undefined) return undefined;
      const key = batchKey(found.instance, found.seq);
      const wanted = (await receiptsIn(key)).find((receipt) => named.safeParse(receipt).data?.id === id);
      return wanted === undefined ? undefined : read({ key }, { schema: receiptSchema, value: wanted });
    },
  };
}

export interface ReadBatch {
  readonly receipts: readonly Receipt[];
  /** Workspaces of those that cannot be read, where these can: another version of the gateway may have written them. */
  readonly unread: readonly string[];
}

const placed = z.object({ workspace_id: z.string() });

/** The receipts of a batch in their order. Throws a StoreError `corrupt`. */
export function readBatch(entry: StoreEntry): ReadBatch {
  const all = closedIn(entry).map((value) => ({ value, receipt: receiptSchema.safeParse(value).data }));
  const unread = all.filter(({ receipt }) => receipt === undefined);
  return {
    receipts: all.flatMap(({ receipt }) => receipt ?? []),
    unread: unread.flatMap(({ value }) => placed.safeParse(value).data?.workspace_id ?? []),
  };
}

/** The same without those that cannot be read. */
export const receiptsInBatch = (entry: StoreEntry): readonly Receipt[] => readBatch(entry).receipts;

function closedIn(entry: StoreEntry): readonly unknown[] {
  const { entries } = read(entry, { schema: entriesSchema, value: parseBatch(entry) });
  return entries.flatMap(({ type, receipt }) => type === CLOSE ? [receipt] : []);
}

/** Undefined for what is damaged in the store; that it does not answer is thrown on. */
export async function unlessDamaged<T>(read: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreError && error.kind === "corrupt") return undefined;
    throw error;
  }
}

interface BatchRead<S extends z.ZodType> {
  readonly schema: S;
  readonly value: unknown;
}

function read<S extends z.ZodType>(
  { key }: Pick<StoreEntry, "key">,
  { schema, value }: BatchRead<S>,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw corruptRow(key, parsed.error);
}
