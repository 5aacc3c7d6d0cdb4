/** A connection to a provider: bytes out, bytes in, never more of them than somebody wants. */

import type { Cancel, Clock } from "../world.ts";
import { TransportError } from "./transport.ts";

export interface Destination {
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  /** In PEM, trusted besides the roots that Deno trusts. */
  readonly caCerts?: readonly string[];
}

export interface Connecting {
  readonly clock: Clock;
  /** Milliseconds until the connection must be usable, TLS handshake included. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/**
 * Connects; rejects with the signal's reason, with a `connect_timeout` or `tls`, or with Deno's own error. A
 * handshake that is given up lets go at once, but Deno closes its socket only when the provider does.
 */
export async function connect(to: Destination, options: Connecting): Promise<Connection> {
  const { clock, connectMs, signal } = options;
  const stop = new AbortController();
  const late = clock.after(connectMs, () => {
    stop.abort(new TransportError("connect_timeout", `Cannot connect within ${connectMs} ms`));
  });
  const left = () => stop.abort(signal.reason);
  signal.addEventListener("abort", left);
  try {
    return new Connection(await dial(to, stop.signal));
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    late();
    signal.removeEventListener("abort", left);
  }
}

async function dial({ hostname, port, secure, caCerts = [] }: Destination, signal: AbortSignal) {
  const plain = await Deno.connect({ hostname, port, signal });
  if (signal.aborted) plain.close();
  signal.throwIfAborted();
  plain.setNoDelay();
  if (!secure) return plain;
  const trust = { hostname, caCerts: [...caCerts], alpnProtocols: ["http/1.1"] };
  return await handshake(await Deno.startTls(plain, trust), signal);
}

async function handshake(conn: Deno.TlsConn, signal: AbortSignal): Promise<Deno.TlsConn> {
  const close = closing(conn);
  signal.addEventListener("abort", close);
  try {
    signal.throwIfAborted();
    await conn.handshake();
    signal.throwIfAborted();
    return conn;
  } catch (cause) {
    close();
    throw new TransportError("tls", `Cannot make a secure connection: ${String(cause)}`, { cause });
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/** Closes once, however often it is called. */
function closing(conn: Deno.Conn): Cancel {
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
