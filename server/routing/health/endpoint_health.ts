/**
 * Which endpoints rest. One that fails rests and comes back by probing, so that a dead provider costs one slow
 * request and not one each (faults U1, U5).
 */

import type { Clock } from "../../runtime.ts";
import type { UpstreamErrorInfo } from "../upstream_error.ts";
import { isMisconfiguration } from "../upstream_error.ts";

interface Standings {
  readonly failures: readonly number[];
  readonly inARow: number;
  /** Monotonic ms until which the endpoint rests; Infinity after a refused credential. */
  readonly restsUntil: number;
  /** Length of the last rest, ms; doubles up to half a minute. */
  readonly lastRest: number;
  readonly probing: boolean;
  readonly misconfigured: boolean;
  /** What its last failure was. */
  readonly lastFailure?: Pick<UpstreamErrorInfo, "kind" | "status">;
}

const FIRST_REST_MS = 5_000;
/** An endpoint that is well again is not missed for longer than this after an outage, however long that was. */
const LONGEST_REST_MS = 30_000;
/** The provider has named the time itself. */
const LONGEST_NAMED_REST_MS = 60_000;
const WINDOW_MS = 30_000;
const IN_A_ROW = 3;
const IN_WINDOW = 5;

const well: Standings = {
  failures: [],
  inARow: 0,
  restsUntil: 0,
  lastRest: 0,
  probing: false,
  misconfigured: false,
};

export type EndpointState =
  | { readonly type: "well" }
  /** Rested enough: one request may try it. */
  | { readonly type: "probe" }
  | { readonly type: "resting"; readonly forSeconds: number }
  /** The provider refuses our credential: rests until the settings change. */
  | { readonly type: "misconfigured" };

export class EndpointHealth {
  readonly #clock: Clock;
  readonly #records = new Map<string, Standings>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stateOf(endpointId: string): EndpointState {
    const record = this.#records.get(endpointId);
    if (record === undefined || record.restsUntil === 0) return { type: "well" };
    if (record.misconfigured) return { type: "misconfigured" };
    const left = record.restsUntil - this.#clock.monotonic();
    if (left > 0) return { type: "resting", forSeconds: Math.ceil(left / 1000) };
    return record.probing ? { type: "resting", forSeconds: 1 } : { type: "probe" };
  }

  /** What the last failure of an endpoint was; undefined for one that is well. */
  lastFailure(endpointId: string): Standings["lastFailure"] {
    return this.#records.get(endpointId)?.lastFailure;
  }

  /** A probe is under way: others keep away until it has ended. */
  startProbe(endpointId: string): void {
    this.#update(endpointId, { probing: true });
  }

  /** A probe ended without a verdict (the client disconnected, or the request was at fault). */
  cancelProbe(endpointId: string): void {
    if (this.#records.has(endpointId)) this.#update(endpointId, { probing: false });
  }

  recordSuccess(endpointId: string): void {
    if (this.#records.size > 0) this.#records.delete(endpointId);
  }

  recordFailure(info: UpstreamErrorInfo): void {
    const { endpoint: { id }, kind, status } = info;
    const lastFailure = { kind, status };
    if (isMisconfiguration(info)) {
      this.#update(id, { lastFailure, misconfigured: true, restsUntil: Infinity, probing: false });
      return;
    }
    const now = this.#clock.monotonic();
    const before = this.#records.get(id) ?? well;
    const failures = [...before.failures.filter((at) => at > now - WINDOW_MS), now];
    const inARow = before.inARow + 1;
    const rest = this.#restFor(info, { ...before, failures, inARow });
    this.#update(id, {
      lastFailure,
      failures,
      inARow,
      probing: false,
      ...(rest === 0 ? {} : { restsUntil: now + rest, lastRest: rest }),
    });
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

  #update(id: string, change: Partial<Standings>): void {
    this.#records.set(id, { ...(this.#records.get(id) ?? well), ...change });
  }
}
