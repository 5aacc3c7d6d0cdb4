/**
 * The runtime: everything impure, made once and handed in (ARCHITECTURE.md, Invariants). This is the only file
 * that reads the clock, draws randomness or asks for the network by itself.
 */

import { randomBytes } from "node:crypto";
import { joinStrings } from "../shared/util/text.ts";
import { LinkedList } from "../shared/util/linked_list.ts";

/** Stops what was started; harmless when it is over already. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a clock that never steps back; for durations. */
  monotonic(): number;
  /**
   * Calls `run` once, `ms` milliseconds from now or up to 150 ms later: deadlines, not animation. Thousands
   * of them share one timer, because a timer a request costs more than the rest of the book-keeping.
   */
  after(ms: number, run: () => void): Cancel;
}

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Structured log with allow-listed fields; never bodies, never secrets (SECURITY.md). */
export interface Logger {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
}

export interface Runtime {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Cryptographically random, `bytes` long, base64url without padding. */
  readonly randomToken: (bytes: number) => string;
  /**
   * 32 hex digits, unique, no secret: cheap enough for several a request. Later ones come behind earlier ones (to
   * the millisecond), so that rows which are written one after another stand side by side in the store.
   */
  readonly id: () => string;
  /** Uniform in [0, 1): for jitter and weights, never for secrets. */
  readonly random: () => number;
  readonly log: Logger;
}

const TICK_MS = 50;
/** So many ticks at once are missed by a process that was held still, or whose machine slept. */
const HELD_TICKS = 20;

interface Deadline {
  /** In ticks. */
  readonly due: number;
  readonly run: () => void;
}

const ticksNow = () => Math.floor(performance.now() / TICK_MS);

/**
 * The real clock. Its shared timer runs only while a deadline is open. Deadlines count in ticks of that timer,
 * because asking for the time costs as much as everything else about a deadline; one that is set while a tick is
 * overdue may run early by as much.
 */
export function createClock(): Clock {
  const deadlines = new LinkedList<Deadline>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let ticks = 0;
  let held = false;
  const tick = () => {
    const before = ticks;
    ticks = ticksNow();
    // What came meanwhile is still to be read: nobody is taken to have been silent before that.
    held = !held && ticks - before > HELD_TICKS;
    if (held) return;
    for (const place of deadlines.where(({ due }) => due <= ticks)) {
      const run = place.value?.run;
      if (deadlines.remove(place)) run?.();
    }
    if (deadlines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, run) => {
      if (timer === undefined) {
        ticks = ticksNow();
        timer = setInterval(tick, TICK_MS);
      }
      const place = deadlines.add({ due: ticks + Math.ceil(ms / TICK_MS) + 1, run });
      return () => {
        deadlines.remove(place);
      };
    },
  };
}

/** Calls `run` every so many milliseconds, as near to the time as the loop comes to it: it shows how late that is. */
export function repeat(ms: number, run: () => void): Cancel {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

export function createRuntime(log: Logger): Runtime {
  return {
    fetch: globalThis.fetch,
    clock: createClock(),
    randomToken: (bytes) => randomBytes(bytes).toString("base64url"),
    id: timeOrderedId,
    random: Math.random,
    log,
  };
}

/** A UUID of version 7 without its hyphens (RFC 9562, 5.7): 48 bits of time, then 74 random ones. */
function timeOrderedId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = crypto.randomUUID();
  return joinStrings(time, "7", random.slice(15, 18), random.slice(19, 23), random.slice(24));
}
