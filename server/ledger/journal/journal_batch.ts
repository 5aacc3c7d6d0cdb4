/**
 * What the journal says: blocks of entries under `["written", instance, seq]`. Each entry stands for itself, so
 * that a reader may begin anywhere from a block's `low` on. Amounts are nano-USD.
 */

import * as z from "zod";
import { nanoSchema, type Receipt, receiptSchema } from "../../../shared/receipts.ts";
import { decodeBatch } from "./batch_checksum.ts";
import { misfit } from "./json_bytes.ts";
import { packedClose, unpackedCloses } from "./packed_close.ts";
import { type Entry as Stored, type Store, type StoreKey } from "../../stores/store.ts";

/**
 * Behind the names of all other rows, on purpose: what is written with every request then stands at the end of SQLite's
 * tree, where a full leaf is continued on a new one. In the middle its neighbours are written anew each time.
 */
export const JOURNAL = "written";
/** A block is stored in one piece; its checksum is part of that. */
export const BLOCK_BYTES = 60_000;

export function blockKey(instance: string, seq: number): StoreKey {
  return [JOURNAL, instance, seq];
}

export const endpointSchema = z.object({ id: z.string(), model: z.string(), provider: z.string() });

/** One call of a request: what is set aside for it and what it has cost so far. */
export const holdStateSchema = z.object({
  n: z.int(),
  reserved: nanoSchema,
  cost: nanoSchema,
  byok: nanoSchema,
  /** `cost` and `byok` are final. */
  done: z.boolean(),
  /** What the input is estimated to cost. */
  input: nanoSchema,
  own_key: z.boolean(),
  endpoint: endpointSchema,
});
export type HoldState = z.output<typeof holdStateSchema>;

/** What a receipt needs to know of a request whose gateway died. */
export const aboutSchema = z.object({
  request_id: z.string(),
  key_hash: z.string(),
  workspace_id: z.string(),
  api: z.string(),
  streamed: z.boolean(),
  requested_model: z.string().nullable(),
});

/** The whole state of an open request; also said again for long ones, so that recovery need not go far back. */
const openSchema = z.object({
  type: z.literal("open"),
  id: z.string(),
  /** Names the buckets, ms since the epoch. */
  at: z.int(),
  scopes: z.array(z.string()).readonly(),
  about: aboutSchema,
  holds: z.array(holdStateSchema),
});
export type OpenEntry = z.output<typeof openSchema>;

/** What has changed in its calls: number, reserved, cost, byok, 1 when final. */
export const progressSchema = z.object({
  type: z.literal("progress"),
  id: z.string(),
  holds: z.array(z.tuple([z.int(), nanoSchema, nanoSchema, nanoSchema, z.literal([0, 1])])),
});

/** The end of a request, with what is counted for it. A block holds it packed. */
const closeSchema = z.object({
  type: z.literal("close"),
  at: z.int(),
  scopes: z.array(z.string()).readonly(),
  cost: nanoSchema,
  byok: nanoSchema,
  receipt: receiptSchema,
});
export type CloseEntry = z.output<typeof closeSchema>;

export const entrySchema = z.discriminatedUnion("type", [openSchema, progressSchema, closeSchema]);
export type Entry = z.output<typeof entrySchema>;

export const blockSchema = z.object({
  /** Random: tells whose block it is when the reply of a commit was lost. */
  group: z.string(),
  /** The oldest block that an open request needs. */
  low: z.int(),
  /** When it was written, ms since the epoch. */
  at: z.int(),
  /** Set in the last block of an instance that others have declared dead: by whom. */
  fence: z.string().optional(),
  /** Its receipts are posted behind it, not in its commit. */
  behind: z.literal(true).optional(),
  entries: z.array(entrySchema),
});
export type Block = z.output<typeof blockSchema>;

/** What recovery needs of a block: a receipt that a later version cannot read must not keep the gateway from starting. */
const outlineSchema = z.object({
  ...blockSchema.shape,
  entries: z.array(z.discriminatedUnion("type", [
    openSchema,
    progressSchema,
    z.object({ type: z.literal("close"), receipt: z.object({ id: z.string() }) }),
  ])),
});
export type Outline = z.output<typeof outlineSchema>;

/** The group of a stored block, without reading the rest of it. */
const groupSchema = z.object({ group: z.string() });

/** Undefined when there is no such block. Throws a StoreError `corrupt` for what is none. */
export async function readBlock(store: Store, key: StoreKey): Promise<Block | undefined> {
  const entry = await store.get(key);
  return entry && toBlock(entry);
}

export function toBlock(entry: Stored): Block {
  return parsed(blockSchema, entry);
}

/** The same without what its receipts say. */
export function toOutline(entry: Stored): Outline {
  return parsed(outlineSchema, entry);
}

export function groupOf(entry: Stored): string {
  return parsed(groupSchema, entry).group;
}

/** What a block says, before any schema. Throws a StoreError `corrupt` for a damaged one. */
export function valueOf(entry: Stored): unknown {
  const block = decodeBatch(entry);
  try {
    return unpacked(block);
  } catch (cause) {
    throw misfit(entry.key, cause);
  }
}

/** With its closes as they were written; all else as it stands. */
function unpacked(block: unknown): unknown {
  const { data } = packedSchema.safeParse(block);
  if (data === undefined) return block;
  const unpackedClose = unpackedCloses();
  return {
    ...data,
    entries: data.entries.map((entry) => Array.isArray(entry) ? unpackedClose(entry) : entry),
  };
}

const packedSchema = z.looseObject({ entries: z.array(z.unknown()) });

/** An entry as a block holds it, in JSON. `before`: the receipt in front of it in the same block. */
export function entryText(entry: Entry, before?: Receipt): string {
  return JSON.stringify(entry.type === "close" ? packedClose(entry, before) : entry);
}

function parsed<S extends z.ZodType>(schema: S, entry: Stored): z.output<S> {
  const result = schema.safeParse(valueOf(entry));
  if (result.success) return result.data;
  throw misfit(entry.key, result.error);
}
