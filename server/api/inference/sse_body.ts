/**
 * The client's event stream: whole frames only, pulled and never pushed, with a comment in the silences
 * (promises S4, S6; client-requirements 6).
 */

import type { Cancel, Clock } from "../../runtime.ts";

/** All in milliseconds. */
export interface SseLimits {
  /** Silence before a comment is sent. */
  readonly heartbeatMs: number;
  /** How long a client may read nothing. */
  readonly writeStallMs: number;
}

interface SseBodyOptions {
  readonly clock: Clock;
  readonly limits: SseLimits;
  /** The next frames, undefined at the end. Never called while a call is pending; never rejects. */
  readonly next: () => Promise<string | undefined>;
  /** A comment goes out first, because the silence has lasted long enough already. */
  readonly startWithComment: boolean;
  /** The client disconnected, or reads nothing. */
  readonly onDisconnect: (reason: string) => void;
}

const encoder = new TextEncoder();
const comment = encoder.encode(": waiting\n\n");

class SseStream {
  readonly #options: SseBodyOptions;
  #wroteAt: number;
  #wanted = false;
  #cancel: Cancel = () => {};

  constructor(options: SseBodyOptions) {
    this.#options = options;
    this.#wroteAt = options.clock.monotonic();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#options.startWithComment) controller.enqueue(comment);
    this.#arm(controller, this.#options.limits.heartbeatMs);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#wanted = true;
    const frames = await this.#options.next();
    this.#wanted = false;
    this.#wroteAt = this.#options.clock.monotonic();
    if (frames !== undefined) {
      controller.enqueue(encoder.encode(frames));
      return;
    }
    this.#cancel();
    controller.close();
  }

  cancel(): void {
    this.#cancel();
    this.#options.onDisconnect("Client disconnected.");
  }

  #arm(controller: ReadableStreamDefaultController<Uint8Array>, ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => this.#watch(controller));
  }

  /** One deadline a stream that moves itself: a comment when we are silent, an end when the client is. */
  #watch(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock, limits } = this.#options;
    const quiet = clock.monotonic() - this.#wroteAt;
    if (this.#wanted && quiet >= limits.heartbeatMs) {
      controller.enqueue(comment);
      this.#wroteAt = clock.monotonic();
    }
    if (!this.#wanted && quiet >= limits.writeStallMs) {
      this.#options.onDisconnect("The client reads nothing.");
      controller.error(new Error("Client write time-out"));
      return;
    }
    const left = limits.heartbeatMs - (clock.monotonic() - this.#wroteAt);
    this.#arm(controller, left > 0 ? left : limits.heartbeatMs);
  }
}

/** The body of a streamed answer. */
export function sseBody(options: SseBodyOptions): ReadableStream<Uint8Array> {
  const stream = new SseStream(options);
  return new ReadableStream<Uint8Array>({
    start: (controller) => stream.start(controller),
    pull: (controller) => stream.pull(controller),
    cancel: () => stream.cancel(),
  }, { highWaterMark: 0 });
}
