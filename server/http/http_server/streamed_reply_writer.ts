/** A streamed reply on its way out: one chunk is asked for when the one before it has left (promises S6). */

import type { BufferedSocket } from "../http1/buffered_socket.ts";

const encoder = new TextEncoder();
const LAST_CHUNK = encoder.encode("0\r\n\r\n");

interface StreamedReplyWriterOptions {
  readonly connection: BufferedSocket;
  /** Else the end of the connection is the end of the body. */
  readonly chunked: boolean;
  /** Bytes of the body, where the head has told them. */
  readonly length?: number;
  /** Resolves when the system has taken all of it. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

export class StreamedReplyWriter {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #options: StreamedReplyWriterOptions;

  constructor(stream: ReadableStream<Uint8Array>, options: StreamedReplyWriterOptions) {
    this.#reader = stream.getReader();
    this.#options = options;
    // A body that breaks while a write is under way is not being read: its connection breaks at once (promises S1).
    this.#reader.closed.catch((error) => options.connection.close(error));
  }

  /** Sends the head and then the body; rejects when either side breaks, with what broke. */
  async run(head: Uint8Array): Promise<void> {
    const { chunked, length, write } = this.#options;
    let sent = 0;
    const begun = write(head);
    // The first chunk is asked for meanwhile; who fails before the head is out is told by the wait for the chunk.
    begun.catch(() => this.cancel());
    for (let first = true;; first = false) {
      const { done, value } = await this.#reader.read();
      if (first) await begun;
      if (done) break;
      // An empty chunk would be the last one.
      if (value.length === 0) continue;
      sent += value.length;
      if (length !== undefined && sent > length) this.#break("is longer", length);
      await write(chunked ? this.#chunk(value) : value);
    }
    if (length !== undefined && sent < length) this.#break("is shorter", length);
    if (chunked) await write(LAST_CHUNK);
  }

  /** The client must not take what it has got for the whole. */
  #break(how: string, length: number): never {
    this.cancel();
    throw new Error(`Cannot send reply: its body ${how} than the ${length} bytes of its head`);
  }

  /** The client has disconnected. */
  cancel(): void {
    this.#reader.cancel().catch(() => {
      // A body that has broken already has nothing to release.
    });
  }

  #chunk(piece: Uint8Array): Uint8Array {
    const size = piece.length.toString(16);
    const chunk = this.#options.connection.room(size.length + 2 + piece.length + 2);
    encoder.encodeInto(`${size}\r\n`, chunk);
    chunk.set(piece, size.length + 2);
    chunk.set(LINE_END, chunk.length - 2);
    return chunk;
  }
}

const LINE_END = encoder.encode("\r\n");
