/** Rate limits of this process: whether a request may start now, and what it leaves behind when it ends. */

import type { RateLimited, RateStanding } from "../../../shared/rate_limits.ts";
import type { Clock } from "../../runtime.ts";
import {
  type CountedRequest,
  type ExceededRateLimit,
  type RateAmounts,
  RateLimitScope,
  releaseRequest,
} from "./rate_limit_scope.ts";
import type { RateLimitQuotas } from "./rate_limit_quotas.ts";

/** Amounts that a request asks for. `tokens` is an estimate. */
export interface RateRequest {
  readonly tokens: number;
  readonly streamed: boolean;
}

/** A request that may start. */
export interface RateGrant {
  readonly type: "pass";
  /** The limit of which the least is left, now. */
  standing(): RateStanding;
  /** To be called when the request is over, whatever ended it; only the first call counts. */
  end(tokens: number): void;
}

export type RateDecision = RateGrant | { readonly type: "refused"; readonly obstacle: ExceededRateLimit };

interface RateLimiterOptions {
  readonly clock: Clock;
  /** Where several processes share the limits; without it this process has all of them. */
  readonly quotas?: RateLimitQuotas;
}

/** Scopes held before idle ones are looked for. */
const SWEEP_AT = 1_024;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #quotas: RateLimitQuotas | undefined;
  readonly #scopes = new Map<string, RateLimitScope>();
  #sweepAt = SWEEP_AT;

  constructor({ clock, quotas }: RateLimiterOptions) {
    this.#clock = clock;
    this.#quotas = quotas;
  }

  /**
   * Counts a request under all limits, or under none when it does not fit into one of them. At once, unless
   * the quota of a scope that nobody used lately has to be asked for first.
   */
  tryStart(limited: readonly RateLimited[], ask: RateRequest): RateDecision | Promise<RateDecision> {
    const scopes = limited.map((one) => this.#scopeOf(one));
    const joining = this.#quotas?.addScope(scopes);
    if (joining === undefined) return this.#decide(scopes, ask);
    for (const scope of scopes) scope.inFlight++;
    return joining.then(() => {
      for (const scope of scopes) scope.inFlight--;
      return this.#decide(scopes, ask);
    });
  }

  /** The limit of which the least is left, without a request; undefined where a quota is not known yet. */
  standing(limited: readonly RateLimited[]): RateStanding | undefined {
    const scopes = limited.map((one) => this.#scopeOf(one));
    if (scopes.length === 0 || scopes.some(({ lacksQuota }) => lacksQuota)) return undefined;
    return tightest(scopes, this.#clock.monotonic());
  }

  /** Scopes held in memory. */
  get size(): number {
    return this.#scopes.size;
  }

  #decide(scopes: readonly RateLimitScope[], { tokens, streamed }: RateRequest): RateDecision {
    const now = this.#clock.monotonic();
    const amounts: RateAmounts = {
      requests_per_minute: 1,
      tokens_per_minute: tokens,
      concurrent_streams: streamed ? 1 : 0,
    };
    const obstacles = scopes.map((scope) => scope.obstacle(amounts, now)).filter((one) => one !== undefined);
    const [obstacle] = obstacles.sort((a, b) => (b.waitMs ?? Infinity) - (a.waitMs ?? Infinity));
    if (obstacle !== undefined) return { type: "refused", obstacle };
    return this.#pass(scopes.map((scope) => scope.take(amounts, now)));
  }

  #pass(taken: readonly CountedRequest[]): RateGrant {
    let open = true;
    return {
      type: "pass",
      standing: () => tightest(taken.map(({ scope }) => scope), this.#clock.monotonic()),
      end: (tokens) => {
        if (!open) return;
        open = false;
        const now = this.#clock.monotonic();
        for (const one of taken) releaseRequest(one, { tokens, now });
      },
    };
  }

  #scopeOf(limited: RateLimited): RateLimitScope {
    const known = this.#scopes.get(limited.scope);
    if (known === undefined) this.#sweep();
    const scope = known ?? new RateLimitScope(limited, this.#quotas ? 0 : Infinity);
    if (known === undefined) this.#scopes.set(limited.scope, scope);
    scope.adopt(limited.limits);
    return scope;
  }

  /** Forgets what is not in use, once the number of scopes has doubled. */
  #sweep(): void {
    if (this.#scopes.size < this.#sweepAt) return;
    const now = this.#clock.monotonic();
    for (const [id, scope] of this.#scopes) {
      if (scope.isIdle(now) && !this.#quotas?.hasQuota(scope)) this.#scopes.delete(id);
    }
    this.#sweepAt = Math.max(SWEEP_AT, this.#scopes.size * 2);
  }
}

/** Throws when there is no limit at all. */
function tightest(scopes: readonly RateLimitScope[], now: number): RateStanding {
  const left = ({ remaining, limit }: RateStanding) => remaining / limit;
  const [first] = scopes.flatMap((scope) => scope.standings(now)).sort((a, b) => left(a) - left(b));
  if (first === undefined) throw new Error("Cannot tell how the limits stand: there are none");
  return first;
}
