/** Keeps what can happen thousands of times a second from filling the log. */

import type { Clock, LogFields } from "../../runtime.ts";

const INTERVAL_MS = 1_000;

export type WriteLog = (message: string, fields: LogFields) => void;

/** Writes each message at most once a second, with the number of times that it stands for. */
export class LogLimiter {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #write: WriteLog;
  readonly #writtenAt = new Map<string, number>();
  readonly #skipped = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">, write: WriteLog) {
    this.#clock = clock;
    this.#write = write;
  }

  /** `message` is one of a few constants. */
  report(message: string, fields: LogFields = {}): void {
    const now = this.#clock.monotonic();
    const skipped = this.#skipped.get(message) ?? 0;
    if (now - (this.#writtenAt.get(message) ?? -Infinity) < INTERVAL_MS) {
      this.#skipped.set(message, skipped + 1);
      return;
    }
    this.#writtenAt.set(message, now);
    this.#skipped.delete(message);
    this.#write(message, { ...fields, count: skipped + 1 });
  }
}
