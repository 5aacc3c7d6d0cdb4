/**
 * Bytes → frames of an `application/vnd.amazon.eventstream`: binary messages, each with its length, headers, a
 * payload, and check sums of its beginning and of all of it. A frame's `event` is the message's event type, or
 * the name of the exception that it tells of.
 */

import type { Source } from "./source.ts";
import { type ReadBytes, type SseFrame, SseLimitError, type SseOptions } from "./sse.ts";

/** The sender's bytes are no such stream; what it sent before still comes out. */
export class AwsEventStreamError extends Error {
  override readonly name = "AwsEventStreamError";
}

const PRELUDE = 12;
/** Beside payload and headers: the prelude and the sum behind them. */
const FRAME = PRELUDE + 4;

/** Rejects with SseTooLong past a limit, with EventStreamBroken for what is no message or breaks off inside one. */
export function awsEventStreamSource(read: ReadBytes, options: SseOptions): Source<SseFrame> {
  const reader = new MessageReader(read, options);
  return { pull: () => reader.pull(), cancel: (reason) => reader.cancel(reason) };
}

class MessageReader {
  readonly #read: ReadBytes;
  readonly #options: SseOptions;
  #held: Uint8Array = new Uint8Array(0);
  /** Bytes behind the held ones; joined with them once they complete something, so that each is copied once. */
  #more: Uint8Array[] = [];
  #moreBytes = 0;
  /** How many bytes must be here before anything new can be read. */
  #needed = PRELUDE;
  #bytes = 0;
  #over = false;
  #fault: Error | undefined;

  constructor(read: ReadBytes, options: SseOptions) {
    this.#read = read;
    this.#options = options;
  }

  async pull(): Promise<readonly SseFrame[] | undefined> {
    while (!this.#over) {
      const bytes = await this.#read();
      const frames = bytes === undefined ? this.#end() : this.#feed(bytes);
      if (frames.length > 0) return frames;
    }
    const fault = this.#fault;
    if (fault === undefined) return undefined;
    this.cancel(fault.message);
    throw fault;
  }

  cancel(reason: string): void {
    this.#over = true;
    this.#fault = undefined;
    this.#options.cancel?.(reason);
  }

  /** A message that broke off says nothing: the parser judges what there was before it. */
  #end(): readonly SseFrame[] {
    this.#over = true;
    return [];
  }

  #feed(bytes: Uint8Array): readonly SseFrame[] {
    this.#bytes += bytes.length;
    this.#more.push(bytes);
    this.#moreBytes += bytes.length;
    const { maxBytes } = this.#options;
    if (maxBytes !== undefined && this.#bytes > maxBytes) this.#refuse(new SseLimitError("stream", maxBytes));
    return this.#held.length + this.#moreBytes < this.#needed ? [] : this.#frames();
  }

  #frames(): readonly SseFrame[] {
    this.#held = joined([this.#held, ...this.#more]);
    this.#more = [];
    this.#moreBytes = 0;
    const frames: SseFrame[] = [];
    try {
      for (let size = this.#next(); size !== undefined; size = this.#next()) {
        frames.push(frameOf(this.#held.subarray(0, size)));
        this.#held = this.#held.subarray(size);
      }
    } catch (error) {
      if (!(error instanceof AwsEventStreamError || error instanceof SseLimitError)) throw error;
      this.#refuse(error);
    }
    return frames;
  }

  /** Length of the next message, once all of it is here. */
  #next(): number | undefined {
    this.#needed = PRELUDE;
    if (this.#held.length < PRELUDE) return undefined;
    const view = viewOf(this.#held);
    if (view.getUint32(8) !== crc32(this.#held.subarray(0, 8))) {
      throw new AwsEventStreamError(broken("its beginning"));
    }
    const size = view.getUint32(0);
    const { maxEventBytes } = this.#options;
    if (size > maxEventBytes) throw new SseLimitError("event", maxEventBytes);
    if (size < FRAME + view.getUint32(4)) throw new AwsEventStreamError(broken("its length"));
    this.#needed = size;
    return this.#held.length < size ? undefined : size;
  }

  #refuse(fault: Error): void {
    this.#over = true;
    this.#fault ??= fault;
  }
}

const broken = (what: string) => `Cannot read event stream: a message is damaged in ${what}`;
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const filled = chunks.filter(({ length }) => length > 0);
  const [only] = filled;
  if (only !== undefined && filled.length === 1) return only;
  const all = new Uint8Array(filled.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of filled) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const decoder = new TextDecoder();

function frameOf(message: Uint8Array): SseFrame {
  const view = viewOf(message);
  const end = message.length - 4;
  if (view.getUint32(end) !== crc32(message.subarray(0, end))) {
    throw new AwsEventStreamError(broken("its content"));
  }
  const payloadAt = PRELUDE + view.getUint32(4);
  const headers = headersOf(message.subarray(PRELUDE, payloadAt));
  const event = headers.get(":exception-type") ?? headers.get(":event-type") ?? errorIn(headers);
  return { event, data: decoder.decode(message.subarray(payloadAt, end)) };
}

/** A message of the type `error` has its code where others have their name. */
const errorIn = (headers: ReadonlyMap<string, string>) =>
  headers.get(":message-type") === "error"
    ? `${headers.get(":error-code") ?? "unknown"}Exception`
    : undefined;

/** Bytes that a value takes by its type; text and bytes say their own length. */
const widths: readonly (number | "told")[] = [0, 0, 1, 2, 4, 8, "told", "told", 8, 16];
const TEXT = 7;

function headersOf(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const view = viewOf(bytes);
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
    const width = widths[bytes[nameEnd] ?? -1];
    const tells = width === "told";
    if (width === undefined || nameEnd + (tells ? 3 : 1) > bytes.length) {
      throw new AwsEventStreamError(broken("its headers"));
    }
    const from = nameEnd + (tells ? 3 : 1);
    const to = from + (tells ? view.getUint16(nameEnd + 1) : width);
    if (bytes[nameEnd] === TEXT) found.set(name, decoder.decode(bytes.subarray(from, to)));
    at = to;
  }
  return found;
}

/** IEEE 802.3's check sum. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xffffffff) >>> 0;
}
