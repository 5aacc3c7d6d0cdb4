/** The body of a request, taken from its connection when somebody reads it. */

import type { BufferedSocket } from "../http1/buffered_socket.ts";
import {
  type BodyErrors,
  type BodyFraming,
  type BodySlice,
  ChunkedFraming,
  type ChunkedRules,
  FixedLengthFraming,
} from "../http1/body_framing.ts";
import { TextCollector } from "../http1/text_collector.ts";
import { type BodyLength, HEADER_FIELD } from "./request_head.ts";
import { malformedRequest } from "./protocol_error.ts";
import type { EventLoopYield } from "./event_loop_yield.ts";

const faults: BodyErrors = { bad: malformedRequest, cut: () => malformedRequest("its body broke off") };

const rules: ChunkedRules = {
  size: /^([\da-f]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/i,
  trailer: HEADER_FIELD,
  maxLine: 1_024,
  maxTrailer: 8 * 1_024,
  maxExtensions: 8 * 1_024,
  faults,
};

const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

interface RequestBodyOptions {
  readonly connection: BufferedSocket;
  readonly yielding: EventLoopYield;
  readonly length: BodyLength;
  /** The client waits for a go-ahead before it sends the body. */
  readonly expects: boolean;
  /** Called when the last byte was taken. */
  readonly onDone: () => void;
}

export class RequestBody implements AsyncIterable<Uint8Array> {
  /** There is none. */
  readonly empty: boolean;
  readonly #connection: BufferedSocket;
  readonly #turns: EventLoopYield;
  readonly #framing: BodyFraming;
  readonly #onDone: () => void;
  #expected: boolean;
  /** True when the bytes sent are no body. */
  #failed = false;
  /** Nobody reads it any more. */
  #dropped = false;

  constructor({ connection, yielding, length, expects, onDone }: RequestBodyOptions) {
    this.empty = length === 0;
    this.#connection = connection;
    this.#turns = yielding;
    this.#framing = length === "chunked" ? new ChunkedFraming(rules) : new FixedLengthFraming(length, faults);
    this.#expected = expects && !this.empty;
    this.#onDone = onDone;
  }

  /** All of it was taken: what comes next on the connection is another request. */
  get done(): boolean {
    return this.#framing.done;
  }

  async text(): Promise<string> {
    const text = new TextCollector();
    while (!this.done) {
      const taken = this.#take((bytes) => text.take(bytes, this.done));
      if (!taken) await this.#more();
    }
    return text.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (!this.done) {
      let chunk: Uint8Array | undefined;
      const taken = this.#take((bytes) => chunk = bytes.slice());
      if (chunk !== undefined) yield chunk;
      if (!taken) await this.#more();
    }
  }

  /**
   * Drops what of the body is here already; false when there is more of it. A caller who still reads gets an error.
   */
  discardBuffered(): boolean {
    if (this.done) return true;
    this.#dropped = true;
    // Nobody has told the client to send it, and it may as well send another request.
    if (this.#expected || this.#failed) return false;
    this.#take(() => {});
    return this.done;
  }

  /** False when nothing of it is here. `use` gets a view, which is gone when it returns. */
  #take(use: (bytes: Uint8Array) => void): boolean {
    const { bytes } = this.#connection;
    const { used, body } = this.#found(bytes);
    if (body !== undefined) use(body);
    this.#connection.skip(used);
    if (this.done) this.#onDone();
    return used > 0;
  }

  #found(bytes: Uint8Array): BodySlice {
    try {
      return this.#framing.find(bytes);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async #more(): Promise<void> {
    if (this.#expected) {
      this.#expected = false;
      await this.#connection.write(CONTINUE);
    }
    await this.#turns.yieldIfDue();
    const came = await this.#connection.more();
    if (this.#dropped) throw faults.cut();
    if (!came) this.#framing.end();
  }
}
