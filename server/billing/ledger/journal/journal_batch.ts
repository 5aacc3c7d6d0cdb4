/**
 * Schemas of the journal: batches of entries under `["written", instance, seq]`. Each entry stands for itself, so
 * that a reader may begin anywhere from a batch's `low` on. Amounts are nano-USD.
 */

import * as z from "zod";
import { usedPresetSchema } from "../../../../shared/presets/records.ts";
import { nanoSchema, type Receipt, receiptSchema } from "../../../../shared/receipts.ts";
import { verifyChecksum } from "./batch_checksum.ts";
import { corruptRow } from "./json_bytes.ts";
import { decodeReceipt, encodeReceipt, isEqualList } from "./receipt_encoding.ts";
import { type Store, type StoreEntry as Stored, type StoreKey } from "../../../storage/stores/store.ts";

/**
 * Behind the names of all other rows, on purpose: what is written with every request then stands at the end of SQLite's
 * tree, where a full leaf is continued on a new one. In the middle its neighbours are written anew each time.
 */
export const JOURNAL_ROWS = "written";
/** A batch is stored in one chunk; its checksum is part of that. */
export const MAX_BATCH_BYTES = 60_000;

export function batchKey(instance: string, seq: number): StoreKey {
  return [JOURNAL_ROWS, instance, seq];
}

const endpointSchema = z.object({ id: z.string(), model: z.string(), provider: z.string() });

/** One call of a request: what is reserved for it and what it has cost so far. */
const reservationStateSchema = z.object({
  n: z.int(),
  reserved: nanoSchema,
  cost: nanoSchema,
  byok: nanoSchema,
  /** `cost` and `byok` are final. */
  done: z.boolean(),
  /** Estimated cost of the input. */
  input: nanoSchema,
  own_key: z.boolean(),
  endpoint: endpointSchema,
});
export type ReservationState = z.output<typeof reservationStateSchema>;

/** Facts of a request that its receipt needs when its gateway died. */
const requestFactsSchema = z.object({
  request_id: z.string(),
  key_hash: z.string(),
  workspace_id: z.string(),
  api: z.string(),
  streamed: z.boolean(),
  requested_model: z.string().nullable(),
  router: z.string().optional(),
  preset: usedPresetSchema.optional(),
  management_key_hash: z.string().optional(),
});

/** The whole state of an open request; also said again for long ones, so that recovery need not go far back. */
const openSchema = z.object({
  type: z.literal("open"),
  id: z.string(),
  /** Names the buckets, ms since the epoch. */
  at: z.int(),
  scopes: z.array(z.string()).readonly(),
  about: requestFactsSchema,
  holds: z.array(reservationStateSchema),
});
export type OpenEntry = z.output<typeof openSchema>;

/** Change of a request's calls: number, reserved, cost, byok, 1 when final. */
const progressSchema = z.object({
  type: z.literal("progress"),
  id: z.string(),
  holds: z.array(z.tuple([z.int(), nanoSchema, nanoSchema, nanoSchema, z.literal([0, 1])])),
});

/** The end of a request, with what is counted for it. A batch holds it encoded. */
const closeSchema = z.object({
  type: z.literal("close"),
  at: z.int(),
  scopes: z.array(z.string()).readonly(),
  cost: nanoSchema,
  byok: nanoSchema,
  receipt: receiptSchema,
});
export type CloseEntry = z.output<typeof closeSchema>;

export const journalEntrySchema = z.discriminatedUnion("type", [openSchema, progressSchema, closeSchema]);
export type JournalEntry = z.output<typeof journalEntrySchema>;

const journalBatchSchema = z.object({
  /** Random: tells whose batch it is when the reply of a commit was lost. */
  group: z.string(),
  /** The oldest batch that an open request needs. */
  low: z.int(),
  /** When it was written, ms since the epoch. */
  at: z.int(),
  /** Set in the last batch of an instance that others have declared dead: by whom. */
  fence: z.string().optional(),
  /** Its receipts are projected behind it, not in its commit. */
  behind: z.literal(true).optional(),
  entries: z.array(journalEntrySchema),
});
export type JournalBatch = z.output<typeof journalBatchSchema>;

/**
 * Outline of a batch, all that recovery needs: a receipt that a later version cannot read must not keep the gateway
 * from starting.
 */
const outlineSchema = z.object({
  ...journalBatchSchema.shape,
  entries: z.array(z.discriminatedUnion("type", [
    openSchema,
    progressSchema,
    z.object({ type: z.literal("close"), receipt: z.object({ id: z.string() }) }),
  ])),
});
export type BatchOutline = z.output<typeof outlineSchema>;

/** The random name of a stored batch, without reading the rest of it. */
const batchSchema = z.object({ group: z.string() });

/** Undefined when there is no such batch. Throws a StoreError `corrupt` for what is none. */
export async function readBatch(store: Store, key: StoreKey): Promise<JournalBatch | undefined> {
  const entry = await store.get(key);
  return entry && decodeBatch(entry);
}

export function decodeBatch(entry: Stored): JournalBatch {
  return parsed(journalBatchSchema, entry);
}

/** The same without what its receipts say. */
export function decodeOutline(entry: Stored): BatchOutline {
  return parsed(outlineSchema, entry);
}

export function batchIdOf(entry: Stored): string {
  return parsed(batchSchema, entry).group;
}

/** Decodes a batch without checking it against a schema. Throws a StoreError `corrupt` for a damaged one. */
export function parseBatch(entry: Stored): unknown {
  return decodeEntries(verifyChecksum(entry));
}

/** With its receipts decoded; all else as it stands. */
function decodeEntries(batch: unknown): unknown {
  const { data } = storedBatchSchema.safeParse(batch);
  return data === undefined ? batch : { ...data, entries: data.entries.map(decodeEntry) };
}

const storedBatchSchema = z.looseObject({ entries: z.array(z.unknown()) });
const storedCloseSchema = z.looseObject({ type: z.literal("close"), receipt: z.unknown() });

/** An entry as a batch stores it, in JSON. */
export function encodeEntry(entry: JournalEntry): string {
  if (entry.type !== "close") return JSON.stringify(entry);
  const { scopes, receipt, ...rest } = entry;
  const stored = isEqualList(scopes, defaultScopes(receipt)) ? {} : { scopes };
  return JSON.stringify({ ...rest, ...stored, receipt: encodeReceipt(receipt) });
}

function decodeEntry(stored: unknown): unknown {
  const { data } = storedCloseSchema.safeParse(stored);
  if (data === undefined) return stored;
  const receipt = decodeReceipt(data.receipt);
  return { scopes: defaultScopes(receipt), ...data, receipt };
}

/** The scopes of a key without guardrails, which are not stored. */
function defaultScopes({ key_hash, workspace_id }: { readonly [Field in keyof Receipt]?: unknown }) {
  return [`key:${key_hash}`, `workspace:${workspace_id}`, "account"];
}

function parsed<S extends z.ZodType>(schema: S, entry: Stored): z.output<S> {
  const result = schema.safeParse(parseBatch(entry));
  if (result.success) return result.data;
  throw corruptRow(entry.key, result.error);
}
