/** The use of the response cache by one request: its preference, and the outcome. */

import type { Endpoint } from "../../providers/endpoint.ts";
import type { ResponseDraft } from "./response_cache.ts";

export interface CachePreference {
  /** How long its response is kept. */
  readonly ttlSeconds: number;
  /** A response that is kept already is dropped first. */
  readonly clear: boolean;
}

/** Found, or looked for and not found: then the response is kept for `ttlSeconds`. */
export type CacheOutcome =
  | { readonly type: "miss"; readonly ttlSeconds: number }
  | {
    readonly type: "hit";
    /** The generation whose response it is. */
    readonly sourceId: string;
    readonly endpoint: Endpoint;
    readonly ageSeconds: number;
    /** Rest of it. */
    readonly ttlSeconds: number;
  };

/** One for each request for which the cache is on. */
export class CacheUse {
  /** Undefined until somebody has looked, and where the request is of a kind that is not cached. */
  outcome: CacheOutcome | undefined;
  readonly preference: CachePreference;
  #draft: ResponseDraft | undefined;

  constructor(preference: CachePreference) {
    this.preference = preference;
  }

  /** The response as it is being read. */
  collect(draft: ResponseDraft): void {
    this.#draft = draft;
  }

  /** The client has had the whole response, and its receipt is written. */
  keep(): void {
    this.#draft?.keep();
  }

  /** The response did not come to a good end. */
  discard(): void {
    this.#draft?.discard();
  }
}
