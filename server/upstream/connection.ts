/** A connection to a provider: bytes out, bytes in, never more of them than somebody wants. */

import type { Cancel } from "../world.ts";

/** Closes once, however often it is called. */
export function closing(conn: Deno.Conn): Cancel {
  let open = true;
  return () => {
    if (open) conn.close();
    open = false;
  };
}

/** Room for what comes: little at first, because streams come in little pieces and there are many of them. */
const SMALL = 4 * 1024;
const LARGE = 32 * 1024;

/** Reads ahead by one buffer at most, and only on demand: a reader that stops stops the provider. */
export class Connection {
  readonly #conn: Deno.Conn;
  readonly #close: Cancel;
  #buffer = new Uint8Array(SMALL);
  #start = 0;
  #end = 0;
  #more: Promise<boolean> | undefined;
  #ended = false;
  #closedFor: { readonly error: unknown } | undefined;
  #sending = false;
  #received = 0;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.#close = closing(conn);
  }

  /** Bytes that have come and are not taken yet. A view: it is gone with the next {@link more}. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** How many bytes have come since the connection was made. */
  get received(): number {
    return this.#received;
  }

  /** Nothing is on its way in either direction: another request may be sent. */
  get quiet(): boolean {
    return !this.#sending && !this.#ended && this.#start === this.#end && this.#closedFor === undefined;
  }

  skip(size: number): void {
    this.#start += size;
  }

  /** Waits for further bytes; false at the provider's end; throws what it was closed for, or Deno's error. */
  more(): Promise<boolean> {
    return this.#more ??= this.#read();
  }

  async #read(): Promise<boolean> {
    this.#makeRoom();
    try {
      const size = await this.#conn.read(this.#buffer.subarray(this.#end));
      this.#ended = size === null;
      this.#end += size ?? 0;
      this.#received += size ?? 0;
      return size !== null;
    } catch (error) {
      throw this.#closedFor === undefined ? error : this.#closedFor.error;
    } finally {
      this.#more = undefined;
    }
  }

  #makeRoom(): void {
    const { length } = this.#buffer;
    if (this.#start === this.#end) {
      if (this.#end === length && length < LARGE) this.#buffer = new Uint8Array(LARGE);
      this.#start = this.#end = 0;
      return;
    }
    if (this.#end < length) return;
    const rest = this.bytes;
    const roomier = new Uint8Array(rest.length < length / 2 ? length : length * 2);
    roomier.set(rest);
    this.#buffer = roomier;
    this.#start = 0;
    this.#end = rest.length;
  }

  /**
   * Sends in the background. A failure is left to the reading side to tell: who no longer listens may still
   * have said why.
   */
  send(bytes: Uint8Array): void {
    this.#sending = true;
    this.#write(bytes).then(() => {
      this.#sending = false;
    }, () => {
      // Never quiet again: the connection is not used for another request.
    });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await this.#conn.write(rest));
  }

  /** Closes at once; whoever waits for bytes gets `error`. */
  close(error: unknown = new Error("The connection was closed")): void {
    if (this.#closedFor !== undefined) return;
    this.#closedFor = { error };
    this.#close();
  }
}
