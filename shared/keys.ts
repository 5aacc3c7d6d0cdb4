/** API keys as they go over the wire (specification, API key record; specification, PATCH /keys/{hash}, §9.1). */

import * as z from "zod";
import { countCodePoints, formatValue } from "./validation/validate.ts";

/**
 * The three kinds of credential (SECURITY.md, Authorization). The kind is read from a key's record, never from its
 * prefix.
 */
const keyKinds = ["api", "management", "client"] as const;
export const keyKindSchema = z.enum(keyKinds);
export type KeyKind = z.infer<typeof keyKindSchema>;

/** Beginnings of generated keys; 43 base64url characters, 256 random bits, follow. */
export const keyPrefixes = {
  api: "tg-api-",
  management: "tg-mgmt-",
  client: "tg-client-",
} as const satisfies Record<KeyKind, string>;

/** Random bytes of a generated key. */
export const KEY_BYTES = 32;
/** Keys that an operator chooses have at least this many characters. */
export const MIN_OPERATOR_KEY_CHARS = 32;
export const MAX_KEY_CHARS = 512;

interface CallerSession {
  /** The session of the console through which the key acts, where it does. */
  readonly session?: string;
}

/** Wishes of a key for the response cache, where neither a request nor its preset has any (docs/response-cache.md). */
export interface KeyCaching {
  readonly enabled: boolean;
  readonly ttlSeconds?: number;
}

/** Caller of a request, once its key is known. `keyHash` names the key everywhere but at the API. */
export type Caller =
  & CallerSession
  & (
    | {
      readonly kind: "api";
      readonly keyHash: string;
      readonly workspaceId: string;
      /** The end user for whom a Connect client made the key. */
      readonly externalUser?: string;
      /** Wishes of the key for the response cache; absent: it has none. */
      readonly caching?: KeyCaching;
      /** The management key whose session of the console runs it in the playground. */
      readonly managementKeyHash?: string;
    }
    | {
      readonly kind: "management";
      readonly keyHash: string;
      readonly workspaceId: string;
      /** May look and not touch. */
      readonly readOnly?: boolean;
    }
    | {
      readonly kind: "client";
      readonly keyHash: string;
      readonly workspaceId: string;
      /** The Connect client whose secret it is. */
      readonly clientId: string;
    }
  );

/** Lowercase hex SHA-256 of the key's text. */
export const keyHashSchema = z.string().regex(/^[0-9a-f]{64}$/, {
  error: () => "is no hash of a key; allowed: 64 of the digits 0-9 and a-f",
});

/** A moment in UTC with seconds or finer, `2026-11-02T09:08:07.006Z`. */
export const timestampSchema = z.iso.datetime();

/** Text that every store keeps as it is: whole characters, no NUL. */
export const textSchema = z.string().refine(
  (text) => text.isWellFormed() && !text.includes("\0"),
  { error: () => "holds half a character or a NUL; that is not allowed" },
);

/** Name that people give to a key. */
export const nameSchema = textSchema.min(1).refine(
  (name) => countCodePoints(name) <= 255,
  { error: ({ input }) => `is ${countCodePoints(String(input))} characters long; at most 255 are allowed` },
);

const datetime = z.iso.datetime({ offset: true });
/** With seconds, and `Z` or an offset from UTC. */
const moment = /T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function isMoment(text: string): boolean {
  if (!moment.test(text) || !datetime.safeParse(text).success) return false;
  return timestampSchema.safeParse(new Date(text).toISOString()).success;
}

/** A moment as requests give it (specification, Keys): seconds and time zone are mandatory. Comes out in UTC. */
export const timestampInputSchema = z.string().refine(isMoment, {
  error: ({ input }) =>
    `is ${formatValue(input)}; allowed is a moment with seconds and time zone, such as 2030-12-31T23:59:59Z`,
}).transform((text) => new Date(text).toISOString());

export const limitResetSchema = z.enum(["daily", "weekly", "monthly"]);

/** USD of the running period, of the UTC day, of the week from Monday, and of the month. */
const spendShape = {
  usage: z.number(),
  usage_daily: z.number(),
  usage_weekly: z.number(),
  usage_monthly: z.number(),
  byok_usage: z.number(),
  byok_usage_daily: z.number(),
  byok_usage_weekly: z.number(),
  byok_usage_monthly: z.number(),
};

/** Limits in USD. `limit_reset: null` means that the limit never resets. */
const limitShape = {
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  limit_reset: limitResetSchema.nullable(),
  include_byok_in_limit: z.boolean(),
};

/** Wishes for the response cache, where neither a request nor its preset has any. */
const cachingShape = {
  /** Whether responses are cached. */
  cache_enabled: z.boolean(),
  /** How long they are kept; null: as long as usual. */
  cache_ttl_seconds: z.int().nullable(),
};

/** The record that the key operations answer with. */
export const keyRecordSchema = z.object({
  hash: keyHashSchema,
  name: z.string(),
  /** Prefix and last three characters of the key. */
  label: z.string(),
  disabled: z.boolean(),
  ...limitShape,
  ...spendShape,
  created_at: timestampSchema,
  /** Null until the first change. */
  updated_at: timestampSchema.nullable(),
  expires_at: timestampSchema.nullable(),
  creator_user_id: z.string().nullable(),
  workspace_id: z.uuid(),
  external_user: z.string().nullable(),
  ...cachingShape,
  /** Present on a key that tries the gateway: built-in models only, outside of credits, budgets and charts. */
  self_test: z.literal(true).optional(),
});
export type KeyRecord = z.infer<typeof keyRecordSchema>;

/** The `data` of GET /key: what a key may know about itself. */
export const keyDetailsSchema = z.object({
  label: z.string(),
  ...limitShape,
  ...spendShape,
  ...cachingShape,
  is_free_tier: z.boolean(),
  is_management_key: z.boolean(),
  /** The older name of `is_management_key`. */
  is_provisioning_key: z.boolean(),
  /** No longer means anything; clients demand it. */
  rate_limit: z.object({ interval: z.string(), note: z.string(), requests: z.int() }),
  creator_user_id: z.string().nullable(),
  expires_at: timestampSchema.nullable(),
  allowed_data_regions: z.array(z.enum(["global", "europe", "us"])),
  free_model_daily_requests: z.object({ limit: z.int(), remaining: z.int(), used: z.int() }),
  organization_id: z.string().nullable(),
  workspace_id: z.uuid().nullable(),
});
export type KeyDetails = z.infer<typeof keyDetailsSchema>;
