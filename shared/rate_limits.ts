/** Rate limits of keys and workspaces: how often, how much and how many at a time. Off unless set. */

/** Names of the rate limits. A minute is any 60 seconds, not one of the clock's. */
export const rateLimitNames = ["requests_per_minute", "tokens_per_minute", "concurrent_streams"] as const;
export type RateLimitName = (typeof rateLimitNames)[number];

/** Null: no such limit. */
export type RateLimits = { readonly [N in RateLimitName]: number | null };

/** Makes a record that has a value for each rate limit. */
export function eachRateLimit<T>(make: (name: RateLimitName) => T): { readonly [N in RateLimitName]: T } {
  return asRecordOfLimits(Object.fromEntries(rateLimitNames.map((name) => [name, make(name)])));
}

/** The names are all there are; the compiler cannot follow them through a list of entries. */
const asRecordOfLimits = <T>(record: Readonly<Record<string, T>>) =>
  record as { readonly [N in RateLimitName]: T };

export const noRateLimits: RateLimits = eachRateLimit(() => null);

/** Limits with the one for whom they are counted. */
export interface RateLimited {
  readonly type: "key" | "workspace";
  /** `key:<ledger id>` or `workspace:<uuid>`: what counts under one name shares one count. */
  readonly scope: string;
  readonly limits: RateLimits;
}

/** True where at least one limit is set. */
export function limitsRate(limits: RateLimits | null | undefined): limits is RateLimits {
  return !!limits && rateLimitNames.some((name) => limits[name] !== null);
}

/** How one limit stands, for the headers of a reply. */
export interface RateStanding {
  readonly scope: RateLimited["type"];
  readonly name: RateLimitName;
  readonly limit: number;
  readonly remaining: number;
  /** Ms until nothing of it is used any more. */
  readonly resetMs: number;
  /** The request is larger than the limit: it will not do to send it again. */
  readonly hopeless?: boolean;
}
