/**
 * Which endpoints rest. One that fails rests and comes back by probing, so that a dead provider costs one slow
 * request and not one each (faults U1, U5).
 */

import type { Clock } from "../../../runtime.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { AccountRefusal } from "../account_refusal.ts";
import type { UpstreamErrorInfo } from "../upstream_error.ts";
import { accountErrorOf, isKeyFailure } from "../upstream_error.ts";
import { eachKeyOf, sharedEndpointId } from "../../../providers/keyed_endpoints.ts";

interface Standings {
  readonly failures: readonly number[];
  readonly inARow: number;
  /** Monotonic ms until which the endpoint rests. */
  readonly restsUntil: number;
  /** Length of the last rest, ms; doubles up to half a minute. */
  readonly lastRest: number;
  readonly probing: boolean;
  /** Where its last failure was that the provider refuses our key. */
  readonly refusal?: AccountRefusal;
  /** Kind and status of the last failure. */
  readonly lastFailure?: Pick<UpstreamErrorInfo, "kind" | "status">;
}

const FIRST_REST_MS = 5_000;
/** An endpoint that is well again is not missed for longer than this after an outage, however long that was. */
const LONGEST_REST_MS = 30_000;
/** The provider has named the time itself. */
const LONGEST_NAMED_REST_MS = 60_000;
/** A refused key is tried again so often: its owner may have paid, or allowed it the model. */
const REFUSED_REST_MS = 60_000;
const WINDOW_MS = 30_000;
const IN_A_ROW = 3;
const IN_WINDOW = 5;

const well: Standings = {
  failures: [],
  inARow: 0,
  restsUntil: 0,
  lastRest: 0,
  probing: false,
};

export type EndpointState =
  | { readonly type: "well" }
  /** Rested enough: one request may try it. */
  | { readonly type: "probe" }
  | { readonly type: "resting"; readonly forSeconds: number }
  /** The provider refuses our key. */
  | { readonly type: "misconfigured"; readonly forSeconds: number; readonly refusal: AccountRefusal };

/** A provider that has refused the gateway's key since it last answered a call. */
interface RefusingProvider extends AccountRefusal {
  readonly name: string;
}

export class EndpointHealth {
  readonly #clock: Clock;
  readonly #records = new Map<string, Standings>();
  /** By the provider's id. */
  readonly #refusing = new Map<string, RefusingProvider>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state of the key where the endpoint is called with one of several and that one is not well; else its own. */
  stateOf(endpointId: string): EndpointState {
    const shared = sharedEndpointId(endpointId);
    const own = this.#stateOf(endpointId);
    if (shared === endpointId || own.type === "resting" || own.type === "misconfigured") return own;
    const state = this.#stateOf(shared);
    return state.type === "well" ? own : state;
  }

  #stateOf(endpointId: string): EndpointState {
    const record = this.#records.get(endpointId);
    if (record === undefined || record.restsUntil === 0) return { type: "well" };
    const left = record.restsUntil - this.#clock.monotonic();
    if (left <= 0 && !record.probing) return { type: "probe" };
    const forSeconds = Math.max(1, Math.ceil(left / 1000));
    const { refusal } = record;
    return refusal === undefined
      ? { type: "resting", forSeconds }
      : { type: "misconfigured", forSeconds, refusal };
  }

  /** The refusal of our key that was its last failure, and which no call has disproved since. */
  refusalOf(endpointId: string): AccountRefusal | undefined {
    return this.#recordOf(endpointId)?.refusal;
  }

  /** Providers that refuse every call with the gateway's own key. */
  get refusingProviders(): readonly RefusingProvider[] {
    return [...this.#refusing.values()];
  }

  /** Last failure of an endpoint; undefined for one that is well. */
  lastFailure(endpointId: string): Standings["lastFailure"] {
    return this.#recordOf(endpointId)?.lastFailure;
  }

  #recordOf(endpointId: string): Standings | undefined {
    return this.#records.get(endpointId) ?? this.#records.get(sharedEndpointId(endpointId));
  }

  /** A probe is under way: others keep away until it has ended. */
  startProbe(endpointId: string): void {
    for (const id of new Set([endpointId, sharedEndpointId(endpointId)])) {
      if (this.#stateOf(id).type === "probe") this.#update(id, { probing: true });
    }
  }

  /** A probe ended without a verdict (the client disconnected, or the request was at fault). */
  cancelProbe(endpointId: string): void {
    for (const id of new Set([endpointId, sharedEndpointId(endpointId)])) {
      if (this.#records.has(id)) this.#update(id, { probing: false });
    }
  }

  recordSuccess({ id, provider, byok }: Endpoint): void {
    if (this.#records.size > 0) {
      this.#records.delete(id);
      this.#records.delete(sharedEndpointId(id));
    }
    if (this.#refusing.size > 0 && byok !== true) this.#refusing.delete(provider.id);
  }

  recordFailure(info: UpstreamErrorInfo): void {
    const { endpoint, kind, status } = info;
    const { provider, byok } = endpoint;
    this.cancelProbe(endpoint.id);
    const id = isKeyFailure(info) ? endpoint.id : sharedEndpointId(endpoint.id);
    const lastFailure = { kind, status };
    const now = this.#clock.monotonic();
    const account = accountErrorOf(info);
    if (account !== undefined) {
      const refusal = { account, status };
      this.#update(id, { lastFailure, refusal, restsUntil: now + REFUSED_REST_MS, probing: false });
      if (byok !== true && this.#refusesAllKeys(endpoint)) {
        this.#refusing.set(provider.id, { ...refusal, name: provider.name });
      }
      return;
    }
    const before = this.#records.get(id) ?? well;
    const failures = [...before.failures.filter((at) => at > now - WINDOW_MS), now];
    const inARow = before.inARow + 1;
    const rest = this.#restFor(info, { ...before, failures, inARow });
    this.#update(id, {
      lastFailure,
      refusal: undefined,
      failures,
      inARow,
      probing: false,
      ...(rest === 0 ? {} : { restsUntil: now + rest, lastRest: rest }),
    });
  }

  /** Forgets the endpoints of a provider that is another server now, or is called with another key. */
  forget(providerId: string): void {
    this.#refusing.delete(providerId);
    for (const id of this.#records.keys()) if (id.startsWith(`${providerId}|`)) this.#records.delete(id);
  }

  #restFor(info: UpstreamErrorInfo, { failures, inARow, lastRest, restsUntil }: Standings): number {
    if (info.kind === "rate_limited" && info.retryAfter !== undefined) {
      return Math.min(info.retryAfter * 1000, LONGEST_NAMED_REST_MS);
    }
    const tired = inARow >= IN_A_ROW || failures.length >= IN_WINDOW || restsUntil > 0 ||
      info.kind === "rate_limited";
    if (!tired) return 0;
    return Math.min(lastRest === 0 ? FIRST_REST_MS : lastRest * 2, LONGEST_REST_MS);
  }

  /** Whether no key of its provider is left that it was not refused with. */
  #refusesAllKeys(endpoint: Endpoint): boolean {
    return eachKeyOf(endpoint).every((id) => this.#records.get(id)?.refusal !== undefined);
  }

  #update(id: string, change: Partial<Standings>): void {
    this.#records.set(id, { ...(this.#records.get(id) ?? well), ...change });
  }
}
