/** Operations that read receipts (promises M7; specification, Credits, generations, activity, analytics). */

import type { receiptApi } from "../../../shared/management/receipts.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { createReceiptReader, type ReceiptReader } from "../../billing/ledger/journal/receipt_reader.ts";
import { StoreError } from "../../storage/stores/store.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { groupReceipts } from "./group_receipts.ts";
import { exportReceipts, hashesOfCaller, listByFilters, listOwn } from "./list_receipts.ts";
import { receiptFilterOf } from "./receipt_filter.ts";
import { countReceipts } from "./receipt_histogram.ts";
import { serializeGeneration } from "./serialize_receipt.ts";
import { auditCaller } from "../core/write.ts";

type Api = typeof receiptApi;
type ReceiptOperationDeps = Pick<
  ManagementDeps,
  "store" | "audit" | "ledger" | "receiptTail" | "modelId" | "runtime" | "pause"
>;

export function receiptOperations(deps: ReceiptOperationDeps): OperationHandlers<Api> {
  const receipts = createReceiptReader(deps.store);
  const found = (input: Pick<OperationInput, "caller">, id: string) =>
    find({ ...deps, receipts }, { ...input, id });
  return {
    "generations.get": async (input) => ({ data: serializeGeneration(await found(input, input.query.id)) }),
    "generations.content": async (input) => {
      await found(input, input.query.id);
      throw new ApiError("not_found", "The content of this generation is not stored.");
    },
    "generations.feedback": async (input) => {
      await found(input, input.body.generation_id);
      await storeFeedback(deps, input);
      return { data: { success: true } };
    },
    "key.receipts": (input) => listOwn({ ...deps, receipts }, input),
    "receipts.list": (input) => listByFilters({ ...deps, receipts }, input),
    "receipts.export": (input) => Promise.resolve(exportReceipts({ ...deps, receipts }, input)),
    "receipts.tail": ({ query }) => Promise.resolve(deps.receiptTail.open(receiptFilterOf(query, deps))),
    "receipts.groups": (input) => groupReceipts({ ...deps, receipts }, input),
    "receipts.histogram": (input) => countReceipts({ ...deps, receipts }, input),
  };
}

interface FindDeps extends Pick<ReceiptOperationDeps, "store" | "ledger" | "modelId"> {
  readonly receipts: ReceiptReader;
}

interface Wanted {
  readonly caller: Caller;
  readonly id: string;
}

/** Absent and not theirs are one answer, after the same looks at the store (SECURITY.md, API1). */
async function find({ store, receipts, ledger }: FindDeps, { caller, id }: Wanted): Promise<Receipt> {
  await ledger.caughtUp();
  const receipt = await receipts.receipt(id).catch(throwDamaged);
  if (caller.kind === "management" && receipt !== undefined) return receipt;
  const own = await hashesOfCaller(store, caller);
  if (receipt !== undefined && own.has(receipt.key_hash)) return receipt;
  throw new ApiError("not_found", "There is no generation with this id.");
}

/** Nobody can tell any more whose it was; ids are not guessed. */
function throwDamaged(error: unknown): never {
  if (!(error instanceof StoreError && error.kind === "corrupt")) throw error;
  const message = "The receipt of this generation is damaged and cannot be read: deno task doctor says more.";
  throw new ApiError("internal", message, { metadata: { reason: "damaged_receipt" }, cause: error });
}

/** Writes it into the audit log, where operators read it. */
async function storeFeedback(
  { store, audit }: ReceiptOperationDeps,
  input: OperationInput<Api["generations.feedback"]>,
): Promise<void> {
  const { generation_id, category, comment = null } = input.body;
  const change = {
    ...auditCaller(input),
    operation: "generations.feedback",
    subject: { type: "generation", id: generation_id },
    before: null,
    after: { category, comment },
  };
  await store.commit({ puts: [audit.put(change)] });
}
