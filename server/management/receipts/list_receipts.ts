/** `GET /receipts`: pages of receipts by filters, and one receipt by any of its ids. */

import { ApiError } from "../../../shared/errors.ts";
import type { FileDownload, OperationOutput } from "../../../shared/management/operation.ts";
import { type receiptApi, receiptRecordSchema } from "../../../shared/management/receipts.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { ReceiptReader } from "../../billing/ledger/journal/receipt_reader.ts";
import { decodeCursor, encodeCursor, type ReceiptCursor } from "../../billing/ledger/index/receipt_cursor.ts";
import { listReceipts, type ReceiptQuery } from "../../billing/ledger/index/receipt_list.ts";
import { readLineage } from "../keys/key_lineage.ts";
import { keyCollection, readKeyNames } from "../keys/key_rows.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { exportFile } from "../core/export_file.ts";
import { passesFilter, receiptFilterOf } from "./receipt_filter.ts";
import { serializeReceipt } from "./serialize_receipt.ts";

type ListOperation = typeof receiptApi["receipts.list"];
type ListResult = OperationOutput<ListOperation>;

export interface ReceiptListDeps
  extends Pick<ManagementDeps, "store" | "ledger" | "modelId" | "runtime" | "pause"> {
  readonly receipts: ReceiptReader;
}

const DEFAULT_LIMIT = 50;

export async function listByFilters(
  deps: ReceiptListDeps,
  { query }: OperationInput<ListOperation>,
): Promise<ListResult> {
  const before = cursorOf(query.before, "list receipts");
  const filter = receiptFilterOf(query, deps);
  const { id } = query;
  await deps.ledger.caughtUp();
  if (id !== undefined && before === undefined) {
    const found = await findByOwnId(deps, id);
    if (found !== undefined) {
      return await toPage(deps, { receipts: passesFilter(found, filter) ? [found] : [], missing: 0 });
    }
  }
  const wanted: ReceiptQuery = { ...filter, before, limit: query.limit ?? DEFAULT_LIMIT };
  if (id === undefined) return await toPage(deps, await readPage(deps, wanted));
  // No index has the ids of providers.
  const test = (receipt: Receipt) => receipt.upstream_id === id && (filter.test?.(receipt) ?? true);
  return await toPage(deps, await readPage(deps, { ...wanted, since: undefined, until: undefined, test }));
}

type OwnListOperation = typeof receiptApi["key.receipts"];

/** The hashes of the key that calls, and of those before and after it by rotation. Throws a StoreError. */
export async function hashesOfCaller(
  store: Store,
  { keyHash }: Pick<OperationInput<OwnListOperation>["caller"], "keyHash">,
): Promise<ReadonlySet<string>> {
  const row = await keyCollection(store).get(keyHash);
  return await readLineage(store, row?.record ?? { hash: keyHash, ledger_id: null });
}

/** Lists what was requested with the key that calls, however often it was rotated. */
export async function listOwn(
  deps: ReceiptListDeps,
  { caller, query: { before: cursor, limit = DEFAULT_LIMIT, ...query } }: OperationInput<OwnListOperation>,
): Promise<OperationOutput<OwnListOperation>> {
  const before = cursorOf(cursor, "list receipts");
  const filter = receiptFilterOf(query, deps);
  const keys = await hashesOfCaller(deps.store, caller);
  await deps.ledger.caughtUp();
  const { receipts, next } = await readPage(deps, { ...filter, keys, before, limit });
  return { data: receipts.map(serializeReceipt), next: writeCursor(next) };
}

/** Throws an ApiError (400) for what is no cursor. */
export function cursorOf(text: string | undefined, verb: string): ReceiptCursor | undefined {
  const cursor = text === undefined ? undefined : decodeCursor(text);
  if (text === undefined || cursor !== undefined) return cursor;
  const message = `Cannot ${verb}: before is ${formatValue(text)}, allowed is the next of another page`;
  throw new ApiError("invalid_request", message, { metadata: { path: "before" } });
}

/** Our ids of a request all end with the same digits: `gen-…`, `req_…`, `resp_…`, `chatcmpl-…`, `msg_…`. */
async function findByOwnId({ receipts }: ReceiptListDeps, id: string): Promise<Receipt | undefined> {
  const exact = await receipts.receipt(id);
  if (exact !== undefined) return exact;
  const [digits] = /[0-9a-f]{32}$/.exec(id) ?? [];
  return digits === undefined ? undefined : await receipts.receipt(`gen-${digits}`);
}

export async function readPage(
  { store, receipts, runtime: { clock } }: ReceiptListDeps,
  query: ReceiptQuery,
) {
  return await listReceipts({ store, batches: receipts, clock }, query);
}

/** A place as the `next` of a page. */
export const writeCursor = (next: ReceiptCursor | undefined): string | null =>
  next === undefined ? null : encodeCursor(next);

/** The key that pays, and the one for whose session it does. */
const keysOf = ({ key_hash, management_key_hash: manager }: Receipt): readonly string[] =>
  manager === undefined ? [key_hash] : [key_hash, manager];

type Page = Awaited<ReturnType<typeof listReceipts>>;

async function toPage(
  { store }: Pick<ReceiptListDeps, "store">,
  { receipts, missing, next }: Page,
): Promise<ListResult> {
  return {
    data: receipts.map(serializeReceipt),
    key_names: await readKeyNames(store, receipts.flatMap(keysOf)),
    missing,
    next: writeCursor(next),
    scanned_until: scannedUntil(next),
  };
}

/** Time of the row of the index at which a page ended. */
export function scannedUntil(next: ReceiptCursor | undefined): string | null {
  const [at] = next?.tail ?? [];
  return typeof at === "number" ? new Date(at).toISOString() : null;
}

const EXPORT_PAGE = 100;

/** `GET /receipts/export`. */
export function exportReceipts(
  deps: ReceiptListDeps,
  { query }: OperationInput<typeof receiptApi["receipts.export"]>,
): FileDownload {
  const filter = receiptFilterOf(query, deps);
  const pages = async function* () {
    await deps.ledger.caughtUp();
    let before: ReceiptCursor | undefined;
    do {
      const { receipts, next } = await readPage(deps, { ...filter, before, limit: EXPORT_PAGE });
      yield receipts.map(serializeReceipt);
      before = next;
    } while (before !== undefined);
  };
  const columns = Object.keys(receiptRecordSchema.shape);
  return exportFile(deps, { name: "receipts", format: query.format, columns, pages: pages() });
}
