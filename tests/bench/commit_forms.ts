/** Forms in which a group of receipts could be written, the ledger's own among them: each adds rows to the one before. */

import { TaskCounters } from "../../server/billing/ledger/usage/task_counters.ts";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { batchKey, type CloseEntry, encodeEntry } from "../../server/billing/ledger/journal/journal_batch.ts";
import { ReceiptIds } from "../../server/billing/ledger/index/receipt_ids.ts";
import { ReceiptIndex } from "../../server/billing/ledger/index/receipt_index.ts";
import type { StorePut } from "../../server/storage/stores/store.ts";
import { createRuntime } from "../../server/runtime.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { receiptWith, rowsOf } from "../support/receipts.ts";

/** One group, as a form writes it. */
export interface Written {
  readonly receipts: readonly Receipt[];
  readonly seq: number;
}

export interface Form {
  readonly name: string;
  readonly puts: (written: Written) => readonly StorePut[];
}

const INSTANCE = "bench";
const RECEIPT = "receipt";
const encoder = new TextEncoder();
const keyOf = ({ seq }: Written) => batchKey(INSTANCE, seq);

/** As the ledger writes it, but for its tail. */
function block(written: Written): StorePut {
  const texts = written.receipts.map((receipt) => encodeEntry(closeOf(receipt)));
  return { key: keyOf(written), value: encoder.encode(`[${texts.join(",")}]`) };
}

function closeOf(receipt: Receipt): CloseEntry {
  const { key_hash, workspace_id, cost, created_at } = receipt;
  const scopes = [`key:${key_hash}`, `workspace:${workspace_id}`, "account"];
  return { type: "close", at: Date.parse(created_at), scopes, cost, byok: 0, receipt };
}

const spanOf = ({ seq }: Written) => ({ instance: INSTANCE, first: seq });

const idEach = ({ receipts, seq }: Written): readonly StorePut[] =>
  receipts.map(({ id }) => ({ key: [RECEIPT, id], value: [INSTANCE, seq] }));

const idsAtRandom = ({ receipts, seq }: Written): readonly StorePut[] =>
  receipts.map(() => ({ key: [RECEIPT, `gen-${crypto.randomUUID()}`], value: [INSTANCE, seq] }));

const ids = (written: Written) => rowsOf(new ReceiptIds(), written.receipts, spanOf(written));
const index = (written: Written) => rowsOf(new ReceiptIndex(), written.receipts, spanOf(written));

/** As if each receipt stood alone. */
const indexEach = (written: Written): readonly StorePut[] =>
  written.receipts.flatMap((receipt, at) =>
    rowsOf(new ReceiptIndex(), [receipt], spanOf(written)).map(({ key }) => ({
      key: [...key, at],
      value: [at],
    }))
  );

const aggregates = new UsageCounters({ start: INSTANCE });
const byTask = new TaskCounters({ start: INSTANCE });
const tasks = (written: Written) => rowsOf(byTask, written.receipts, spanOf(written));
const sums = (written: Written) => rowsOf(aggregates, written.receipts, spanOf(written));

export const forms: readonly Form[] = [
  {
    name: "a row a receipt",
    puts: ({ receipts }) => receipts.map((receipt) => ({ key: [RECEIPT, receipt.id], value: receipt })),
  },
  { name: "a block a group", puts: (written) => [block(written)] },
  { name: "+ an id row a receipt, at random", puts: (written) => [block(written), ...idsAtRandom(written)] },
  { name: "+ an id row a receipt", puts: (written) => [block(written), ...idEach(written)] },
  { name: "+ id rows a group", puts: (written) => [block(written), ...ids(written)] },
  {
    name: "+ id rows a group, index rows a receipt",
    puts: (written) => [block(written), ...ids(written), ...indexEach(written)],
  },
  {
    name: "+ id and index rows a group",
    puts: (written) => [block(written), ...ids(written), ...index(written)],
  },
  {
    name: "+ id and index rows a group, sums",
    puts: (written) => [block(written), ...ids(written), ...index(written), ...sums(written)],
  },
  {
    name: "+ id and index rows a group, sums, sums by task",
    puts: (written) => [
      ...[block(written), ...ids(written), ...index(written), ...sums(written)],
      ...tasks(written),
    ],
  },
];

const KEYS = 4;
const MODELS = 2;

/** As a small team's calls leave them: four keys, two models, one workspace, one provider. */
const models = Array.from({ length: KEYS * MODELS }, (_, at) =>
  receiptWith({
    key_hash: `${at % KEYS}`.repeat(64),
    model: `acme/model-${at % MODELS}`,
    task: "code:general_impl",
    at: Date.now(),
  }));

const silent = () => {};
const { id: newId } = createRuntime({ debug: silent, info: silent, warn: silent, error: silent });

/** Receipts with ids of their own, made in a fraction of what it costs to write one. */
export function receiptsOf(count: number): readonly Receipt[] {
  return Array.from({ length: count }, (_, at): Receipt => {
    const like = models[at % models.length] ?? receiptWith();
    return { ...like, id: `gen-${newId()}` };
  });
}
