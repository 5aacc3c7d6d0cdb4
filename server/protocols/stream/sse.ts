/** Bytes → frames of a Server-Sent Events stream, per the WHATWG's parsing rules (faults U10, U11). */

import { createParser } from "eventsource-parser";
import type { Source } from "./source.ts";

/** One frame of a Server-Sent Events stream. */
export interface SseFrame {
  readonly event?: string;
  readonly data: string;
}

/** The next chunk of bytes, or undefined after the last one. Never called while a call is pending. */
export type ReadBytes = () => Promise<Uint8Array | undefined>;

export interface SseOptions {
  /**
   * The most that one event may take, what the parser throws away included: an endless line, an endless event
   * and a flood of comments all end here. Counted in characters once decoded, which are never more than bytes;
   * may be passed by one chunk.
   */
  readonly maxEventBytes: number;
  /** The most that the whole stream may take, in bytes. */
  readonly maxBytes?: number;
  /** Lets go of the bytes when the frames are cancelled or cut off. */
  readonly cancel?: (reason: string) => void;
}

/** The sender passed a limit; what it sent before still comes out, and nothing after. */
export class SseLimitError extends Error {
  override readonly name = "SseLimitError";
  readonly what: "event" | "stream";
  /** In bytes. */
  readonly limit: number;

  constructor(what: "event" | "stream", limit: number) {
    super(`Cannot read event stream: ${what === "event" ? "an event" : "it"} is longer than ${limit} bytes`);
    this.what = what;
    this.limit = limit;
  }
}

/** Bytes from a stream's reader, with the `cancel` that belongs to them. */
export function bytesFromReader(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): { readonly read: ReadBytes; readonly cancel: (reason: string) => void } {
  return {
    read: async () => (await reader.read()).value,
    cancel: (reason) => {
      reader.cancel(reason).catch(() => {
        // A stream that has broken already rejects; there is nothing left to let go of then.
      });
    },
  };
}

/**
 * The frames of an event stream, a batch for each chunk of bytes that completes one. One decoder and one
 * parser in one pull loop, because every pipe in between costs more than the translation.
 * Rejects with {@link SseLimitError} past a limit, and with whatever `read` rejects with.
 */
export function sseSource(read: ReadBytes, options: SseOptions): Source<SseFrame> {
  const reader = new FrameReader(read, options);
  return { pull: () => reader.pull(), cancel: (reason) => reader.cancel(reason) };
}

class FrameReader {
  readonly #read: ReadBytes;
  readonly #options: SseOptions;
  // The parser strips the one byte order mark that a stream may start with; a second one is content.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #parser = createParser({ onEvent: ({ event, data }) => this.#take({ event, data }) });
  #frames: SseFrame[] = [];
  /** Characters since the last whole event. */
  #pending = 0;
  #bytes = 0;
  #fault: SseLimitError | undefined;
  #over = false;

  constructor(read: ReadBytes, options: SseOptions) {
    this.#read = read;
    this.#options = options;
  }

  async pull(): Promise<readonly SseFrame[] | undefined> {
    while (!this.#over) {
      const bytes = await this.#read();
      if (bytes === undefined) this.#end();
      else this.#feed(bytes);
      if (this.#frames.length > 0) return this.#flush();
    }
    return this.#fault === undefined ? undefined : this.#giveUp(this.#fault);
  }

  cancel(reason: string): void {
    this.#over = true;
    this.#fault = undefined;
    this.#options.cancel?.(reason);
  }

  /**
   * A last event whose line is complete counts although the blank line after it is missing: some servers close
   * right behind their last line. A line that broke off is dropped.
   */
  #end(): void {
    this.#over = true;
    this.#parser.feed(`${this.#decoder.decode()}\n`);
  }

  #feed(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#bytes += bytes.length;
    this.#pending += text.length;
    this.#parser.feed(text);
    this.#checkEvent(this.#pending);
    const { maxBytes } = this.#options;
    if (maxBytes !== undefined && this.#bytes > maxBytes) this.#refuse("stream", maxBytes);
  }

  #take(frame: SseFrame): void {
    this.#checkEvent(frame.data.length);
    if (this.#fault !== undefined) return;
    this.#pending = 0;
    this.#frames.push(frame);
  }

  #checkEvent(size: number): void {
    const { maxEventBytes } = this.#options;
    if (size > maxEventBytes) this.#refuse("event", maxEventBytes);
  }

  #refuse(what: "event" | "stream", limit: number): void {
    this.#over = true;
    this.#fault ??= new SseLimitError(what, limit);
  }

  #flush(): readonly SseFrame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  #giveUp(fault: SseLimitError): never {
    this.cancel(fault.message);
    throw fault;
  }
}
