/** Keys as they are stored: by the hash of their text, which is nowhere kept. */

import { hash } from "node:crypto";
import * as z from "zod";
import { eachRateLimit } from "../../../shared/rate_limits.ts";
import {
  KEY_BYTES,
  keyHashSchema,
  type KeyKind,
  keyKindSchema,
  keyPrefixes,
  limitResetSchema,
  timestampSchema,
} from "../../../shared/keys.ts";
import { joinStrings } from "../../../shared/util/text.ts";
import { toExactNano, usdFromNumber } from "../../../shared/money.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store, StoreKey } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";

const keyRowSchema = z.object({
  hash: keyHashSchema,
  kind: keyKindSchema,
  name: z.string(),
  label: z.string(),
  disabled: z.boolean(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
  expires_at: timestampSchema.nullable(),
  creator_user_id: z.string().nullable(),
  workspace_id: z.uuid(),
  external_user: z.string().nullable(),
  /** The Connect client whose secret it is, or that made it. */
  client_id: z.string().nullable(),
  /** Nano-USD; null: none. */
  limit: z.int().nonnegative().nullable().default(null),
  /** A limit in USD that is larger than the ledger counts (nine million); `limit` holds the largest it can then. */
  limit_usd: z.number().nullable().default(null),
  limit_reset: limitResetSchema.nullable().default(null),
  include_byok_in_limit: z.boolean().default(false),
  /** Whether responses are cached where nobody says it, and for how many seconds. */
  cache_enabled: z.boolean().default(false),
  cache_ttl_seconds: z.int().positive().nullable().default(null),
  /** Names its spend: its own hash, or that of the first key when it came about by rotation. */
  ledger_id: keyHashSchema.nullable().default(null),
  /** Made to try the gateway itself: it pays for nobody, so neither credits, budgets nor charts know of it. */
  self_test: z.boolean().default(false),
  /** True for a management key that may read and not write. */
  read_only: z.boolean().default(false),
  rate_limits: z.object(eachRateLimit(() => z.int().positive().nullable().default(null))).nullable().default(
    null,
  ),
  /** The one guardrail that was given to it. It stands here, so that a successor has it too. */
  guardrail: z.object({
    id: z.uuid(),
    guardrail_id: z.uuid(),
    assigned_by: z.string().nullable(),
    created_at: timestampSchema,
  }).nullable().default(null),
});
export type KeyRow = z.infer<typeof keyRowSchema>;

export type KeyCollection = Collection<typeof keyRowSchema>;

const NAME = "keys";

export function keyCollection(store: Store): KeyCollection {
  return new Collection({ store, name: NAME, schema: keyRowSchema });
}

/** Beginning of the store's keys of all rows. */
export const keyRowPrefix: StoreKey = [NAME];

/** The hash of the key whose row stands at a place in the store; undefined where another record stands. */
export function keyHashInStoreKey([name, hash]: StoreKey): string | undefined {
  return name === NAME && typeof hash === "string" ? hash : undefined;
}

/** Lowercase hex SHA-256: the only form in which a key is kept or named. Throws on an empty text. */
export function hashKey(token: string): string {
  if (token === "") throw new Error("Cannot hash a key: it is empty");
  return hash("sha256", token);
}

/** The most that the ledger counts to, in USD. */
export const MAX_COUNTED_USD = 9_000_000;

/** A limit as it is stored; `usd` is null or passes usdLimitSchema. */
export function encodeLimit(usd: number | null): Pick<KeyRow, "limit" | "limit_usd"> {
  if (usd === null) return { limit: null, limit_usd: null };
  if (usd <= MAX_COUNTED_USD) return { limit: usdFromNumber(usd), limit_usd: null };
  return { limit: usdFromNumber(MAX_COUNTED_USD), limit_usd: usd };
}

/** The limit that was set, in nano-USD; null: none. */
export function decodeLimit({ limit, limit_usd }: Pick<KeyRow, "limit" | "limit_usd">): bigint | null {
  if (limit_usd !== null) return toExactNano(limit_usd) ?? null;
  return limit === null ? null : BigInt(limit);
}

/** The scope under which the ledger counts what a key spends; rotation does not begin a new one. */
export const keyScope = ({ hash: own, ledger_id }: Pick<KeyRow, "hash" | "ledger_id">): string =>
  joinStrings("key:", ledger_id ?? own);

/** The text of a new key: 256 random bits. */
export function newToken(kind: KeyKind, { randomToken }: Pick<Runtime, "randomToken">): string {
  return keyPrefixes[kind] + randomToken(KEY_BYTES);
}

/** Prefix and last three characters, by which people tell keys apart; of an operator's own key only the latter. */
export function keyLabel(token: string): string {
  const prefix = Object.values(keyPrefixes).find((one) => token.startsWith(one)) ?? "";
  return `${prefix}...${token.slice(-3)}`;
}

interface NewKey {
  readonly kind: KeyKind;
  readonly token: string;
  readonly name: string;
  readonly workspaceId: string;
}

/** The row of a new key, made `at` (milliseconds since the epoch). */
export function newKeyRow({ kind, token, name, workspaceId }: NewKey, at: number): KeyRow {
  return {
    hash: hashKey(token),
    kind,
    name,
    label: keyLabel(token),
    disabled: false,
    created_at: new Date(at).toISOString(),
    updated_at: null,
    expires_at: null,
    creator_user_id: null,
    workspace_id: workspaceId,
    external_user: null,
    client_id: null,
    limit: null,
    limit_usd: null,
    limit_reset: null,
    include_byok_in_limit: false,
    cache_enabled: false,
    cache_ttl_seconds: null,
    ledger_id: null,
    self_test: false,
    read_only: false,
    rate_limits: null,
    guardrail: null,
  };
}

/** A key that is nowhere: what holds for every key of a workspace holds for it, and nothing else. */
export const anyKeyOf = (workspaceId: string): KeyRow =>
  newKeyRow({ kind: "api", token: `any key of ${workspaceId}`, name: "", workspaceId }, 0);

/** Names of the keys that there are, by their hashes. */
export async function readKeyNames(
  store: Store,
  hashes: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const keys = keyCollection(store);
  const found = await Promise.all([...new Set(hashes)].map(async (hash) => {
    const row = await keys.get(hash);
    return row === undefined ? [] : [[hash, row.record.name] as const];
  }));
  return Object.fromEntries(found.flat());
}
