/** A provider's answer: its body is taken from the connection chunk by chunk, as it is asked for. */

import type { BufferedSocket } from "../../http/http1/buffered_socket.ts";
import type { BodyFraming } from "../../http/http1/body_framing.ts";
import { TextCollector } from "../../http/http1/text_collector.ts";
import type { Clock } from "../../runtime.ts";
import { decodeBody, type DecodedBody } from "./content_decoding.ts";
import { isReusable, responseFraming } from "./response_framing.ts";
import { headerValues, type ResponseHead } from "./message_head.ts";
import { ResponseTooLarge, TransportError, type UpstreamResponse } from "./transport.ts";

/** How long and how far the rest of a discarded answer is awaited, to keep its connection. */
const LINGER_MS = 500;
const LINGER_BYTES = 16 * 1024;

/**
 * How a response leaves its connection: complete, and fit to carry another request or not; or broken off, or let go of
 * before its end.
 */
export type ResponseEnding = "reusable" | "complete" | "broken";

interface HttpResponseOptions {
  readonly clock: Clock;
  readonly connection: BufferedSocket;
  /** Called once, when the connection is needed no longer. */
  readonly onEnd: (ending: ResponseEnding) => void;
}

export class HttpUpstreamResponse implements UpstreamResponse {
  readonly status: number;
  readonly #head: ResponseHead;
  readonly #options: HttpResponseOptions;
  readonly #framing: BodyFraming;
  readonly #decoded: DecodedBody | undefined;
  #over = false;
  #reading = false;
  #failure: { readonly error: unknown } | undefined;

  /** Throws `bad_http` when the headers contradict each other. */
  constructor(head: ResponseHead, options: HttpResponseOptions) {
    this.status = head.status;
    this.#head = head;
    this.#options = options;
    this.#framing = responseFraming(head);
    this.#decoded = decodeBody(this.header("content-encoding"), () => this.#next());
    if (this.#framing.done) this.#end(endingOf(head));
  }

  header(name: string): string | null {
    const values = headerValues(this.#head, name.toLowerCase());
    return values.length === 0 ? null : values.join(", ");
  }

  text(cap: number): Promise<string> {
    return this.#decoded === undefined ? this.#plainText(cap) : this.#decodedText(cap);
  }

  /** Nothing of the body is copied, and most answers come in one chunk. */
  async #plainText(cap: number): Promise<string> {
    const text = new TextCollector();
    this.#reading = true;
    try {
      while (!this.#over) {
        const { used, body } = this.#framing.find(this.#options.connection.bytes);
        const { done } = this.#framing;
        if (body !== undefined) text.take(body, done);
        if (text.size > cap) this.#tooLarge(cap);
        this.#took(used);
        if (!done && !await this.#options.connection.more()) this.#framing.end();
      }
    } catch (error) {
      throw this.#broken(error);
    } finally {
      this.#reading = false;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return text.end();
  }

  async #decodedText(cap: number): Promise<string> {
    const text = new TextCollector();
    for (let bytes = await this.read(); bytes !== undefined; bytes = await this.read()) {
      text.take(bytes, false);
      if (text.size > cap) this.#tooLarge(cap);
    }
    return text.end();
  }

  #tooLarge(cap: number): never {
    const error = new ResponseTooLarge(`The provider's answer is longer than ${cap} bytes.`);
    this.fail(error);
    throw error;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#reading = true;
    try {
      return await (this.#decoded === undefined ? this.#next() : this.#decoded.read());
    } catch (error) {
      throw this.#broken(error);
    } finally {
      this.#reading = false;
    }
  }

  discard(): void {
    if (this.#over || this.#failure !== undefined) return;
    const letGo = new Error("The answer was let go of");
    if (this.#reading || this.#decoded !== undefined) return this.fail(letGo);
    this.#failure = { error: letGo };
    const cancel = this.#options.clock.after(LINGER_MS, () => this.#end("broken"));
    this.#linger().then(cancel);
  }

  /** Ends the reading at once, and the connection with it; harmless behind the end. */
  fail(error: unknown): void {
    if (this.#over && this.#decoded === undefined) return;
    this.#failure ??= { error };
    this.#decoded?.stop();
    this.#end("broken");
  }

  /** Takes the rest of the body, if it is short. */
  async #linger(): Promise<void> {
    let left = LINGER_BYTES;
    try {
      for (let bytes = await this.#next(); bytes !== undefined; bytes = await this.#next()) {
        left -= bytes.length;
        if (left < 0) return this.#end("broken");
      }
    } catch (_error) {
      // Nobody wants this answer any more, so nobody wants to know why it broke off.
      this.#end("broken");
    }
  }

  /** The next chunk of the body as it was sent; undefined at its end. */
  async #next(): Promise<Uint8Array | undefined> {
    const { connection } = this.#options;
    while (!this.#over) {
      const { bytes } = connection;
      const { used, body } = this.#framing.find(bytes);
      // A view of the connection's bytes would change under its reader.
      const own = body?.buffer === bytes.buffer ? body.slice() : body;
      this.#took(used);
      if (own !== undefined) return own;
      if (!this.#over && !await connection.more()) this.#framing.end();
    }
    return undefined;
  }

  /** So much of the connection's bytes was the answer's; behind its end the connection is another's. */
  #took(size: number): void {
    this.#options.connection.skip(size);
    if (this.#framing.done) this.#end(endingOf(this.#head));
  }

  /** Finds the error of a failed read: our own reason for it, or that the answer broke off. */
  #broken(cause: unknown): unknown {
    if (this.#failure === undefined) {
      const known = cause instanceof TransportError;
      this.fail(known ? cause : new TransportError("cut", "The provider's answer broke off", { cause }));
    }
    return this.#failure?.error ?? cause;
  }

  #end(ending: ResponseEnding): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.onEnd(ending);
  }
}

const endingOf = (head: ResponseHead): ResponseEnding => isReusable(head) ? "reusable" : "complete";
