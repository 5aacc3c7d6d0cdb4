/**
 * Frames in which gateway, keeper and children talk over pipes: a JSON header and bytes. Each begins with the lengths
 * of both, as two 32-bit numbers, the high byte first.
 */

const LENGTHS = 8;
/** Longer headers and bodies are taken for nonsense. */
const MAX_HEADER_BYTES = 64 * 1024;
export const MAX_FRAME_BODY_BYTES = 16 * 1024 * 1024;

interface Frame {
  /** JSON, not yet checked. */
  readonly header: unknown;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Bytes. */
const SMALL_BODY = 32 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const noBytes = new Uint8Array(0);

/** A frame in one or two parts: large bodies are not copied, and small ones need no write of their own. */
function frameParts(header: object, body: Uint8Array = noBytes): readonly Uint8Array[] {
  const text = encoder.encode(JSON.stringify(header));
  const start = new Uint8Array(LENGTHS + text.length);
  const view = new DataView(start.buffer);
  view.setUint32(0, text.length);
  view.setUint32(4, body.length);
  start.set(text, LENGTHS);
  return body.length < SMALL_BODY ? [Buffer.concat([start, body])] : [start, body];
}

/** A frame as one. */
export function encodeFrame(header: object, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return Buffer.concat(frameParts(header, body));
}

/** Error of bytes that are not in the form of frames. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

type ReadChunk = (room: Uint8Array<ArrayBuffer>) => Promise<number | null>;

/** Reads frames from a pipe, one at a time. */
export class FrameReader {
  readonly #read: ReadChunk;

  constructor(read: ReadChunk) {
    this.#read = read;
  }

  /** Undefined at the end of the pipe, also in the middle of a frame. Throws a FrameError for what is none. */
  async next(): Promise<Frame | undefined> {
    const lengths = await this.#exactly(LENGTHS);
    if (lengths === undefined) return undefined;
    const view = new DataView(lengths.buffer);
    const [headerLength, bodyLength] = [view.getUint32(0), view.getUint32(4)];
    if (headerLength > MAX_HEADER_BYTES || bodyLength > MAX_FRAME_BODY_BYTES) {
      throw new FrameError("A frame is too long");
    }
    const header = await this.#exactly(headerLength);
    const body = header && await this.#exactly(bodyLength);
    if (header === undefined || body === undefined) return undefined;
    return { header: parseHeader(header), body };
  }

  async #exactly(size: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = new Uint8Array(size);
    for (let offset = 0; offset < size;) {
      const read = await this.#read(bytes.subarray(offset));
      if (read === null) return undefined;
      offset += read;
    }
    return bytes;
  }
}

function parseHeader(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new FrameError("The header of a frame is no JSON", { cause });
  }
}

/** A reader over a stream that hands out chunks of its own size. */
export function streamReader(stream: ReadableStream<Uint8Array>): ReadChunk {
  const reader = stream.getReader();
  let rest: Uint8Array = noBytes;
  return async (room) => {
    while (rest.length === 0) {
      const { done, value } = await reader.read();
      if (done) return null;
      rest = value;
    }
    const size = Math.min(room.length, rest.length);
    room.set(rest.subarray(0, size));
    rest = rest.subarray(size);
    return size;
  };
}

/** Writes frames to a pipe, each as a whole behind the one before. */
export class FrameWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
  }

  /** Rejects when the pipe is broken. */
  write(header: object, body?: Uint8Array): Promise<void> {
    const parts = frameParts(header, body);
    this.#pending++;
    this.#last = this.#last.then(async () => {
      for (const part of parts) await this.#writer.write(part);
      this.#pending--;
    });
    return this.#last;
  }

  /** Whether all is written: then the pipe may be written to by other means. */
  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Ends the pipe behind what was written; harmless when it is broken. */
  async close(): Promise<void> {
    await this.#last.then(() => this.#writer.close()).catch(() => {
      // The other side has ended already.
    });
  }
}
