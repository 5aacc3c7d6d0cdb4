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
/** Fields that a line of the log may have. */
export const logFieldNames = [
  "address",
  "attempts",
  "bytes",
  "caller",
  "code",
  "connections",
  "container",
  "count",
  "destination",
  "ending",
  "engine",
  "endpoint",
  "error",
  "fail",
  "file",
  "files",
  "generation",
  "guardrail",
  "hash",
  "host",
  "kind",
  "method",
  "model",
  "ms",
  "name",
  "operation",
  "own_ms",
  "path",
  "port",
  "provider",
  "reason",
  "request",
  "rows",
  "seconds",
  "service",
  "setting",
  "signal",
  "stage",
  "status",
  "tokens_in",
  "tokens_out",
  "tool",
  "turns",
  "upstream_ms",
  "version",
  "workspace",
] as const;

export type LogValue = string | number | boolean | null | undefined;
export type LogFields = Readonly<Partial<Record<typeof logFieldNames[number], LogValue>>>;

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
    id: createIds(Date.now),
    random: Math.random,
    log,
  };
}

/** Milliseconds by which the system's clock may be put back before ids follow it. */
const CLOCK_SLACK_MS = 1_000;
/** 12 bits count the ids of a millisecond, from somewhere in the lower half of them. */
const MAX_COUNT = 0xfff;
const firstCount = () => Math.floor(Math.random() * MAX_COUNT / 2);

/**
 * Makes UUIDs of version 7 without their hyphens (RFC 9562, 5.7 and 6.2): 48 bits of time, 12 that count within a
 * millisecond, and 62 random ones. Each is greater than the one before, so that what was made later comes later in
 * every list.
 */
export function createIds(now: () => number): () => string {
  let [time, count] = [0, 0];
  return () => {
    const current = now();
    const isSame = current <= time && time - current < CLOCK_SLACK_MS;
    if (!isSame) [time, count] = [current, firstCount()];
    else if (++count > MAX_COUNT) [time, count] = [time + 1, firstCount()];
    const random = crypto.randomUUID();
    return joinStrings(hex(time, 12), "7", hex(count, 3), random.slice(19, 23), random.slice(24));
  };
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
