/**
 * The client's audio: pulled and never pushed. It ends where the sound ends; what breaks off ends in a broken
 * connection, because a file that is too short looks like any other (promises S1).
 */

import type { Cancel, Clock } from "../../runtime.ts";

interface AudioBodyOptions {
  readonly clock: Clock;
  /** How long a client may read nothing, in ms. */
  readonly writeStallMs: number;
  /**
   * The next bytes, undefined at the end; rejects where the sound breaks off. Never called while a call is pending.
   */
  readonly next: () => Promise<Uint8Array | undefined>;
  /** The client disconnected, or reads nothing. */
  readonly onDisconnect: (reason: string) => void;
}

class AudioStream {
  readonly #options: AudioBodyOptions;
  #cancel: Cancel = () => {};

  constructor(options: AudioBodyOptions) {
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#watch(controller);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#cancel();
    try {
      const bytes = await this.#options.next();
      if (bytes === undefined) return controller.close();
      controller.enqueue(bytes);
      this.#watch(controller);
    } catch (error) {
      controller.error(error);
    }
  }

  cancel(): void {
    this.#cancel();
    this.#options.onDisconnect("Client disconnected.");
  }

  /** Bytes that nobody fetches hold a connection to the provider open. */
  #watch(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock, writeStallMs, onDisconnect } = this.#options;
    this.#cancel = clock.after(writeStallMs, () => {
      onDisconnect("The client reads nothing.");
      controller.error(new Error("Client write time-out"));
    });
  }
}

export function audioBody(options: AudioBodyOptions): ReadableStream<Uint8Array> {
  const stream = new AudioStream(options);
  return new ReadableStream<Uint8Array>({
    start: (controller) => stream.start(controller),
    pull: (controller) => stream.pull(controller),
    cancel: () => stream.cancel(),
  }, { highWaterMark: 0 });
}
