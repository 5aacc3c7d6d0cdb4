/** Receipts as the journal holds them. */

import * as z from "zod";
import type { Receipt } from "../../shared/receipts.ts";
import { showKey } from "../stores/key.ts";
import { type KeyPart, type Store, StoreError } from "../stores/store.ts";
import { RECEIPT } from "./block_builder.ts";
import { JOURNAL, readBlock } from "./entries.ts";
import type { ReceiptBlocks } from "./receipt_list.ts";

/** `[instance, seq]` of the block. */
const whereSchema = z.tuple([z.string(), z.int()]);

export interface Receipts extends ReceiptBlocks {
  /** By the generation id; undefined when there is none, or it was removed. */
  receipt(id: string): Promise<Receipt | undefined>;
}

/** Ids are `gen-` and what the gateway made; nothing that is longer has a row. */
const MAX_ID_CHARS = 200;

export function receiptsOf(store: Store): Receipts {
  const receiptsAt = async (tail: readonly KeyPart[]) => {
    const block = await readBlock(store, [JOURNAL, ...tail]);
    return (block?.entries ?? []).flatMap((entry) => entry.type === "close" ? [entry.receipt] : []);
  };
  return {
    receiptsAt,
    receipt: async (id) => {
      if (id === "" || id.length > MAX_ID_CHARS || !id.isWellFormed()) return undefined;
      const key = [RECEIPT, id];
      const entry = await store.get(key);
      if (entry === undefined) return undefined;
      const where = whereSchema.safeParse(entry.value);
      if (!where.success) {
        throw new StoreError("corrupt", `Cannot read ${showKey(key)}: it does not fit`, {
          cause: where.error,
        });
      }
      return (await receiptsAt(where.data)).find((receipt) => receipt.id === id);
    },
  };
}
