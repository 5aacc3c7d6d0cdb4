/**
 * Refuses new work while the gateway cannot do it: its event loop is late for seconds on end, or its memory is beyond
 * the limit. What is under way goes on. Somebody calls `look` every `LOOK_MS`; while nobody does, nothing is refused.
 */

import { ApiError } from "../../shared/errors.ts";
import type { Clock, Logger } from "../runtime.ts";

export const LOOK_MS = 100;
/** Lag of a turn that is too much, and how long each has to be so late. */
export const LAG_MS = 200;
export const LATE_MS = 5_000;
/** How long the loop has to be in time before new work is taken again. */
export const CALM_MS = 1_000;
/** Share of the limit that memory has to fall to. */
export const CALM_SHARE = 0.95;
/** Seconds after which callers are told to try again. */
export const RETRY_S = 5;
/** Looks between two at the memory, which takes a moment. */
const LOOKS_OF_MEMORY = 10;

export const overloadReasons = ["loop_lag", "memory"] as const;
type OverloadReason = (typeof overloadReasons)[number];

const words: { readonly [R in OverloadReason]: string } = {
  loop_lag: "its work is late",
  memory: "its memory is used up",
};

interface OverloadDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  /** Bytes of resident memory that are too many; undefined: there is no such limit. */
  readonly memoryLimit: () => number | undefined;
  /** Resident memory, bytes. */
  readonly memory: () => number;
  /** Lets go of what need not be held; called at each look at a memory that is beyond the limit. */
  readonly release?: () => void;
}

export class OverloadGuard {
  readonly #deps: OverloadDeps;
  readonly #active = new Set<OverloadReason>();
  readonly #refusals = new Map<OverloadReason, number>();
  #listener: ((lagMs: number) => void) | undefined;
  /** Time of the last look, monotonic ms. */
  #looked: number | undefined;
  /** Since when every turn was late, and in time; monotonic ms. */
  #lateSince: number | undefined;
  #calmSince: number | undefined;
  #looks = 0;

  constructor(deps: OverloadDeps) {
    this.#deps = deps;
  }

  /** Reasons for which new work is refused now. */
  get active(): ReadonlySet<OverloadReason> {
    return this.#active;
  }

  /** How often work was refused since the start. */
  refusals(reason: OverloadReason): number {
    return this.#refusals.get(reason) ?? 0;
  }

  /** Is told of each look by how many ms it came too late. */
  onLook(listener: (lagMs: number) => void): void {
    this.#listener = listener;
  }

  /** Throws an ApiError `unavailable` while the gateway is overloaded. */
  assertTakesWork(): void {
    const [reason] = this.#active;
    if (reason === undefined) return;
    this.#refusals.set(reason, this.refusals(reason) + 1);
    throw new ApiError(
      "unavailable",
      `The gateway takes no new requests at the moment: ${words[reason]}. Try again in ${RETRY_S} s.`,
      { retryAfter: RETRY_S },
    );
  }

  look(): void {
    const now = this.#deps.clock.monotonic();
    const lagMs = this.#looked === undefined ? 0 : Math.max(0, now - this.#looked - LOOK_MS);
    this.#looked = now;
    this.#listener?.(lagMs);
    this.#judgeLag(now, lagMs);
    if (this.#looks++ % LOOKS_OF_MEMORY === 0) this.#judgeMemory();
  }

  #judgeLag(now: number, lagMs: number): void {
    if (lagMs > LAG_MS) {
      this.#calmSince = undefined;
      this.#lateSince ??= now - lagMs;
      if (now - this.#lateSince >= LATE_MS) this.#set("loop_lag", true, { ms: Math.round(lagMs) });
      return;
    }
    this.#lateSince = undefined;
    this.#calmSince ??= now;
    if (now - this.#calmSince >= CALM_MS) this.#set("loop_lag", false);
  }

  #judgeMemory(): void {
    const limit = this.#deps.memoryLimit();
    if (limit === undefined) return this.#set("memory", false);
    const bytes = this.#deps.memory();
    if (bytes > limit) {
      this.#deps.release?.();
      this.#set("memory", true, { bytes });
    } else if (bytes <= limit * CALM_SHARE) this.#set("memory", false);
  }

  #set(reason: OverloadReason, isActive: boolean, fields: Readonly<Record<string, number>> = {}): void {
    if (this.#active.has(reason) === isActive) return;
    const { log } = this.#deps;
    if (isActive) {
      this.#active.add(reason);
      log.warn("Overloaded: new requests are refused", { reason, ...fields });
      return;
    }
    this.#active.delete(reason);
    log.info("New requests are taken again", { reason, count: this.refusals(reason) });
  }
}
