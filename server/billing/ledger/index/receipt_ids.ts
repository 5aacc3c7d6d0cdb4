/**
 * Finds a receipt by its id. Ids begin with the time, so those of a few seconds stand in one row a projection: a
 * row for each would cost more than the receipt itself.
 */

import { truncateStart } from "../../../../shared/util/text.ts";
import * as z from "zod";
import { formatKey } from "../../../storage/stores/store_key.ts";
import {
  type Store,
  type StoreEntry,
  StoreError,
  type StoreKey,
  type StorePut,
} from "../../../storage/stores/store.ts";
import {
  type BatchPosition,
  batchPositionOf,
  type BatchRange,
  type BatchReceipts,
  type ProjectionPart,
  receiptPosition,
} from "../projection/projection_part.ts";

/** First part of the rows `["receipt_ids", beginning of the ids, instance, first batch]`. */
const RECEIPT_ID_ROWS = "receipt_ids";
/** `gen-` and nine of the twelve digits of the time in ms: four seconds. */
const BEGINNING_CHARS = 13;
const PAGE_ROWS = 100;

const rowSchema = z.object({
  /** Ends of the ids, behind their common beginning. */
  ids: z.array(z.string()),
  /** Position in its batch of the receipt with the id at the same index. */
  places: z.array(z.int().nonnegative()),
});
type Row = z.infer<typeof rowSchema>;

const beginningOf = (id: string): string => truncateStart(id, BEGINNING_CHARS);
const restOf = (id: string): string => id.slice(BEGINNING_CHARS);

/** The ids as a part of the ledger's projections. */
export class ReceiptIds implements ProjectionPart {
  readonly #byBeginning = new Map<string, Row>();
  /** Most ids begin like the one before. */
  #last: { readonly beginning: string; readonly row: Row } | undefined;

  add({ receipts, offset }: BatchReceipts): void {
    receipts.forEach((receipt, position) => {
      if (receipt === undefined) return;
      const { id } = receipt;
      const row = this.#rowOf(id);
      row.ids.push(restOf(id));
      row.places.push(receiptPosition(offset, position));
    });
  }

  get rows(): number {
    return this.#byBeginning.size;
  }

  take({ instance, first }: BatchRange): readonly StorePut[] {
    const puts = [...this.#byBeginning].map(([beginning, value]) => ({
      key: [RECEIPT_ID_ROWS, beginning, instance, first],
      value,
    }));
    this.#byBeginning.clear();
    this.#last = undefined;
    return puts;
  }

  renewed(): ReceiptIds {
    return new ReceiptIds();
  }

  #rowOf(id: string): Row {
    if (this.#last !== undefined && id.startsWith(this.#last.beginning)) return this.#last.row;
    const beginning = beginningOf(id);
    const row = this.#byBeginning.get(beginning) ?? this.#begin(beginning);
    // What is shorter is the whole of an id, and others may go on behind it.
    this.#last = beginning.length === BEGINNING_CHARS ? { beginning, row } : undefined;
    return row;
  }

  #begin(beginning: string): Row {
    const row: Row = { ids: [], places: [] };
    this.#byBeginning.set(beginning, row);
    return row;
  }
}

interface ReceiptLocation extends BatchPosition {
  readonly instance: string;
}

/** Ids are `gen-` and what the gateway made; nothing that is longer has a row. */
const MAX_ID_CHARS = 200;

/** In which batch a receipt stands; undefined when no projection names it. Throws a StoreError. */
export async function locateReceipt(store: Store, id: string): Promise<ReceiptLocation | undefined> {
  if (id === "" || id.length > MAX_ID_CHARS || !id.isWellFormed()) return undefined;
  const prefix: StoreKey = [RECEIPT_ID_ROWS, beginningOf(id)];
  let after: StoreKey | undefined;
  for (;;) {
    const entries = await store.list(prefix, { after, limit: PAGE_ROWS });
    for (const entry of entries) {
      const found = findIn(entry, restOf(id));
      if (found !== undefined) return found;
    }
    after = entries.at(-1)?.key;
    if (entries.length < PAGE_ROWS) return undefined;
  }
}

function findIn({ key, value }: StoreEntry, rest: string): ReceiptLocation | undefined {
  const parsed = rowSchema.safeParse(value);
  const [, , instance, first] = key;
  if (!parsed.success || typeof instance !== "string" || typeof first !== "number") {
    throw new StoreError("corrupt", `Cannot read ${formatKey(key)}: it does not fit`, {
      cause: parsed.error,
    });
  }
  const place = parsed.data.places[parsed.data.ids.indexOf(rest)];
  return place === undefined ? undefined : { instance, ...batchPositionOf(first, place) };
}
