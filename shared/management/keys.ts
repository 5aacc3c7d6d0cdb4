/** The key operations (specification, PATCH /keys/{hash}, §9.1). */

import * as z from "zod";
import {
  keyHashSchema,
  keyRecordSchema,
  limitResetSchema,
  MAX_KEY_CHARS,
  MIN_OPERATOR_KEY_CHARS,
  nameSchema,
  textSchema,
  timestampInputSchema,
  timestampSchema,
} from "../keys.ts";
import { cacheSecondsSchema } from "../fields/response_cache.ts";
import { usdLimitSchema } from "../usd_limit.ts";
import { rateLimitsSchema } from "../workspaces.ts";
import { formatQuery } from "./exports.ts";
import { keySorts, keyStates } from "./lists/key_sorts.ts";
import {
  booleanQuery,
  deletedSchema,
  type ManagementOperation,
  pageQuery,
  workspaceQuery,
} from "./operation.ts";

const emptyAsAbsent = z.literal("").transform(() => undefined);

const listQuery = z.object({
  offset: pageQuery.offset,
  limit: pageQuery.limit,
  include_disabled: booleanQuery.optional(),
  /** `all`: of all workspaces. */
  workspace_id: z.union([z.literal("all"), workspaceQuery]),
  /** The beginning of any word of the name, or of the hash or the label; of several words each has to be found. */
  q: z.string().max(255).transform((text) => text.trim() === "" ? undefined : text).optional(),
  sort: z.union([emptyAsAbsent, z.enum(keySorts)]).optional(),
  /** `disabled` needs no `include_disabled` beside it. */
  state: z.union([emptyAsAbsent, z.enum(keyStates)]).optional(),
  /** The `next` of the page before. */
  cursor: z.union([emptyAsAbsent, z.string().max(1_000)]).optional(),
});
export type KeyListQuery = z.output<typeof listQuery>;

export const listedKeySchema = keyRecordSchema.extend({
  /**
   * Start of the UTC hour in which its last request came in, of the day where that is more than 31 days ago; null where
   * there was none. Absent from lists that are read by `offset`, and while the sums are read for the first time.
   */
  last_used_at: timestampSchema.nullable().optional(),
});
export type ListedKey = z.infer<typeof listedKeySchema>;

const listResult = z.object({
  data: z.array(listedKeySchema),
  /** The `cursor` of the next page; null behind the last one, absent from lists that are read by `offset`. */
  next: z.string().nullable().optional(),
  /** Number of keys in all pages; null where it is not counted, or not yet, absent from lists that are read by `offset`. */
  total: z.int().nullable().optional(),
  /** False where keys may be missing: the search finds too many, or the index of older keys is still being built. */
  complete: z.literal(false).optional(),
  /** Time when the order of `sort=usage_monthly` was found out. Null: it is being found out. */
  as_of: timestampSchema.nullable().optional(),
});
export type KeyListResult = z.input<typeof listResult>;

const abortQuery = z.object({ abort: booleanQuery.optional() });

/** A key's text that a client chooses: what a bearer token can carry. */
const ownKeySchema = z.string().min(MIN_OPERATOR_KEY_CHARS).max(MAX_KEY_CHARS).refine(
  (text) => /^[\x21-\x7e]+$/.test(text),
  { error: () => "holds something other than printable ASCII; spaces are not allowed either" },
);
const externalUserSchema = textSchema.min(1).max(512);

const limits = {
  limit: usdLimitSchema.nullable(),
  limit_reset: limitResetSchema.nullable(),
  include_byok_in_limit: z.boolean(),
};

const caching = { cache_enabled: z.boolean(), cache_ttl_seconds: cacheSecondsSchema.nullable() };

const createBody = z.strictObject({
  name: nameSchema,
  ...z.object({ ...limits, ...caching }).partial().shape,
  expires_at: timestampInputSchema.nullable().optional(),
  creator_user_id: textSchema.min(1).max(255).nullable().optional(),
  workspace_id: z.uuid().toLowerCase().optional(),
  external: z.strictObject({ user: externalUserSchema, api_key: ownKeySchema.optional() }).optional(),
  external_user: externalUserSchema.optional(),
  external_api_key: ownKeySchema.optional(),
  /**
   * An addition, for management keys: a key to try the gateway with. It stays out of credits, budgets and charts,
   * reaches the built-in provider only and needs a `limit` of at most 1 USD.
   */
  self_test: z.literal(true).optional(),
});

/** Exactly what specification, lists, and the wishes for the response cache; anything else is refused by name. */
const updateBody = z.strictObject({ name: nameSchema, disabled: z.boolean(), ...limits, ...caching })
  .partial();

/** Keys that one call changes, at most. */
export const MAX_BULK_KEYS = 100;

/** Fields that many keys can be given together. */
const bulkChanges = {
  disabled: z.boolean(),
  ...limits,
  ...caching,
  expires_at: timestampInputSchema.nullable(),
  /** The key's own guardrail; null takes it away. */
  guardrail_id: z.uuid().toLowerCase().nullable(),
};

/** One change for many keys. */
const bulkBody = z.strictObject({
  hashes: z.array(keyHashSchema).min(1).max(MAX_BULK_KEYS),
  changes: z.strictObject(bulkChanges).partial().refine((changes) => Object.keys(changes).length > 0, {
    error: () => `names nothing to change; allowed are ${Object.keys(bulkChanges).join(", ")}`,
  }),
});

const bulkOutcomeSchema = z.object({
  hash: keyHashSchema,
  /** The key as it is now; null where it was not changed. */
  key: keyRecordSchema.nullable(),
  /** Why it was not changed: status and message of the error that a change of this key alone would have had. */
  error: z.object({ code: z.int(), message: z.string() }).nullable(),
});
export type BulkOutcome = z.input<typeof bulkOutcomeSchema>;

/** Seconds, at most a week. */
const overlap = z.strictObject({ overlap_seconds: z.int().min(0).max(604_800).default(0) });

const one = z.object({ data: keyRecordSchema });
/** Answer to an update, with the time when the key was changed last; where nothing changed yet, when it was made. */
const updated = z.object({ data: keyRecordSchema.extend({ updated_at: timestampSchema }) });
const rates = z.object({ data: rateLimitsSchema });
const withSecret = z.object({ data: keyRecordSchema, key: z.string() });

export const keyApi = {
  "keys.list": {
    method: "GET",
    path: "/keys",
    who: ["management"],
    errors: "other",
    summary:
      "Lists API keys, newest first, 100 per page; searched by q and state, sorted by sort, paged by cursor.",
    verb: "list keys",
    query: listQuery,
    output: listResult,
  },
  "keys.export": {
    method: "GET",
    path: "/keys/export",
    who: ["management"],
    errors: "other",
    summary: "Downloads API keys as CSV or JSON lines, by the filters of the list.",
    verb: "export keys",
    query: z.object({
      include_disabled: listQuery.shape.include_disabled,
      workspace_id: listQuery.shape.workspace_id,
      q: listQuery.shape.q,
      sort: listQuery.shape.sort,
      state: listQuery.shape.state,
      format: formatQuery,
    }),
    output: "bytes",
  },
  "keys.create": {
    method: "POST",
    path: "/keys",
    who: ["management", "client"],
    errors: "other",
    summary: "Creates an API key; its text is shown only once.",
    verb: "create key",
    idempotent: true,
    body: createBody,
    output: withSecret,
    status: 201,
  },
  "keys.get": {
    method: "GET",
    path: "/keys/:hash",
    who: ["management"],
    errors: "other",
    summary: "Shows one API key.",
    verb: "show key",
    versioned: true,
    output: one,
  },
  "keys.update": {
    method: "PATCH",
    path: "/keys/:hash",
    who: ["management", "client"],
    elseStatus: 401,
    errors: "update_key",
    summary: "Updates the given fields; with abort=true, disabling a key aborts its open calls.",
    verb: "update key",
    query: abortQuery,
    body: updateBody,
    versioned: true,
    output: updated,
  },
  "keys.update_many": {
    method: "PATCH",
    path: "/keys",
    who: ["management"],
    errors: "other",
    summary: "Changes up to 100 API keys in the same way; each has an outcome of its own.",
    verb: "update keys",
    body: bulkBody,
    output: z.object({ data: z.array(bulkOutcomeSchema) }),
  },
  "keys.delete": {
    method: "DELETE",
    path: "/keys/:hash",
    who: ["management", "client"],
    elseStatus: 401,
    errors: "other",
    summary: "Deletes a key; with abort=true its open calls are aborted.",
    verb: "delete key",
    query: abortQuery,
    output: deletedSchema,
  },
  "keys.rotate": {
    method: "POST",
    path: "/keys/:hash/rotate",
    who: ["management"],
    errors: "other",
    summary: "Rotates a key; the old one stays valid for the overlap, spend carries over.",
    verb: "rotate key",
    body: overlap,
    bodyOptional: true,
    output: withSecret,
    status: 201,
  },
  "keys.rate_limits.get": {
    method: "GET",
    path: "/keys/:hash/rate-limits",
    who: ["management"],
    errors: "other",
    summary: "Shows the rate limits of a key.",
    verb: "show rate limits",
    output: rates,
  },
  "keys.rate_limits.set": {
    method: "PUT",
    path: "/keys/:hash/rate-limits",
    who: ["management"],
    errors: "other",
    summary: "Sets a key's rate limits; omitted limits are unlimited.",
    verb: "set rate limits",
    body: z.strictObject(rateLimitsSchema.partial().shape),
    output: rates,
  },
} as const satisfies Record<string, ManagementOperation>;
