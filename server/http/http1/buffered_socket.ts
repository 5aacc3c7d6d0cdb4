/** A connection, to a provider or from a client: bytes out, bytes in, never more of them than somebody wants. */

import type { Cancel } from "../../runtime.ts";

/** Closes once, however often it is called. */
export function closeOnce(conn: Deno.Conn): Cancel {
  let open = true;
  return () => {
    if (open) conn.close();
    open = false;
  };
}

/** Room for what comes: little at first, because streams come in little chunks and there are many of them. */
const SMALL = 4 * 1024;
/** As often as all of it is filled at once, up to `maxRead`. */
const GROWTH = 8;
const LARGE = 32 * 1024;

interface BufferedSocketOptions {
  /** Bytes of a message whose room is kept for the next one: little where there may be many connections. */
  readonly maxKept?: number;
  /** Bytes that are read at a time, at most: 4 KiB, 32 KiB or 256 KiB. */
  readonly maxRead?: number;
}

export interface OutgoingMessage {
  /** Each character stands for a byte. */
  readonly head: string;
  readonly body: string | Uint8Array;
  /** Length of the body, in bytes. */
  readonly length: number;
}

const encoder = new TextEncoder();

/** Nearly all heads are ASCII, which the encoder writes as it is. */
function writeHead(head: string, room: Uint8Array): void {
  const { read, written } = encoder.encodeInto(head, room);
  if (read === head.length && written === head.length) return;
  for (let at = 0; at < head.length; at++) {
    const byte = head.charCodeAt(at);
    if (byte > 255) throw new Error("Cannot send a message: its head has a character beyond one byte");
    room[at] = byte;
  }
}

/** Returns how many bytes the whole body has. `room` need not be large enough for it. */
function writeBody(body: string | Uint8Array, room: Uint8Array): number {
  if (typeof body === "string") {
    const { read, written } = encoder.encodeInto(body, room);
    return read === body.length ? written : Infinity;
  }
  if (body.length <= room.length) room.set(body);
  return body.length;
}

/** A caller who waits for the same is told. */
const ignore = () => {};

/** Reads ahead by one buffer at most, and only on demand: a reader that stops stops the other side. */
export class BufferedSocket {
  readonly #conn: Deno.Conn;
  readonly #close: Cancel;
  readonly #maxKept: number;
  readonly #maxRead: number;
  #buffer = new Uint8Array(SMALL);
  #start = 0;
  #end = 0;
  // deno-lint-ignore tollgate/kept-promises -- a connection that broke stays broken
  #more: Promise<boolean> | undefined;
  #ended = false;
  #closedFor: { readonly error: unknown } | undefined;
  /** Bytes that are not sent yet; undefined when all are. */
  #unsent: Uint8Array | undefined;
  /** Room for messages. */
  #outgoing = new Uint8Array(0);
  #received = 0;
  #lost: ((connection: BufferedSocket) => void) | undefined;

  constructor(conn: Deno.Conn, { maxKept = 16 * 1024, maxRead = LARGE }: BufferedSocketOptions = {}) {
    this.#conn = conn;
    this.#maxKept = maxKept;
    this.#maxRead = maxRead;
    this.#close = closeOnce(conn);
  }

  /** Bytes that have come and are not taken yet. A view: it is gone with the next {@link more}. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Bytes have come that are not taken yet. */
  get hasBytes(): boolean {
    return this.#start !== this.#end;
  }

  /** How many bytes have come since the connection was made. */
  get received(): number {
    return this.#received;
  }

  /** Nothing is on its way in either direction: another request may be sent. */
  get quiet(): boolean {
    return this.#unsent === undefined && !this.#ended && !this.hasBytes &&
      this.#closedFor === undefined;
  }

  /** All of the message that was sent last has left. */
  get sent(): boolean {
    return this.#unsent === undefined;
  }

  /** Nothing will come any more: the other side has ended or broken its half, or we have closed. */
  get ended(): boolean {
    return this.#ended || this.#closedFor !== undefined;
  }

  skip(size: number): void {
    this.#start += size;
  }

  /** Waits for further bytes; false at the other side's end; throws what it was closed for, or Deno's error. */
  more(): Promise<boolean> {
    return this.#more ??= this.#read();
  }

  /** Nobody waits for bytes: `lost` is called when the connection ends or brings what nobody asked for. */
  rest(lost: (connection: BufferedSocket) => void): void {
    this.#lost = lost;
    this.more().catch(ignore);
  }

  /** Somebody uses it again. */
  wake(): void {
    this.#lost = undefined;
  }

  /** Gives back the room of a message that was long; what comes next begins with little. */
  shrink(): void {
    const free = this.#start === this.#end && this.#more === undefined;
    if (!free || this.#buffer.length === SMALL) return;
    this.#buffer = new Uint8Array(SMALL);
    this.#start = this.#end = 0;
  }

  #read(): Promise<boolean> {
    this.#makeRoom();
    const room = this.#end === 0 ? this.#buffer : this.#buffer.subarray(this.#end);
    return this.#conn.read(room).then(this.#came, this.#broke);
  }

  readonly #came = (size: number | null): boolean => {
    this.#ended = size === null;
    this.#end += size ?? 0;
    this.#received += size ?? 0;
    this.#settled();
    return size !== null;
  };

  readonly #broke = (error: unknown): never => {
    this.#ended = true;
    this.#settled();
    throw this.#closedFor === undefined ? error : this.#closedFor.error;
  };

  #settled(): void {
    this.#more = undefined;
    this.#lost?.(this);
  }

  #makeRoom(): void {
    const { length } = this.#buffer;
    if (this.#start === this.#end) {
      if (this.#end === length && length < this.#maxRead) this.#buffer = new Uint8Array(length * GROWTH);
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
  send(request: OutgoingMessage): void {
    this.#write(this.encoded(request));
  }

  #write(bytes: Uint8Array): void {
    this.#unsent = bytes;
    // What fails stays unsent: the connection is never quiet again, so it carries no other request.
    this.#conn.write(bytes).then(this.#sent, ignore);
  }

  readonly #sent = (size: number): void => {
    const left = this.#unsent?.subarray(size);
    if (left === undefined || left.length === 0) this.#unsent = undefined;
    else this.#write(left);
  };

  /**
   * Sends and waits until the system has taken all of it; rejects when the connection breaks or is closed. `onPart`
   * is called when it has taken a part, and not yet all.
   */
  async write(bytes: Uint8Array, onPart?: () => void): Promise<void> {
    for (let at = await this.#conn.write(bytes); at < bytes.length;) {
      onPart?.();
      at += await this.#conn.write(bytes.subarray(at));
    }
  }

  /** Says that nothing more will be sent; what the other side still sends can be read. */
  closeWrite(): Promise<void> {
    return this.#conn.closeWrite();
  }

  /** Room for a message: the same as long as it suffices, so nothing may be on its way from it. */
  room(size: number): Uint8Array {
    const room = size <= this.#outgoing.length ? this.#outgoing : new Uint8Array(size);
    if (size <= this.#maxKept) this.#outgoing = room;
    return room.subarray(0, size);
  }

  /**
   * Head and body in one chunk, so that they leave in one packet; the room for it is used over and over. Throws
   * when the body has another length than was announced: the rest of the room holds an earlier message, perhaps of
   * somebody else, and the other side would take what is missing or too much for the next message.
   */
  encoded({ head, body, length }: OutgoingMessage): Uint8Array {
    const room = this.room(head.length + length);
    writeHead(head, room);
    const written = writeBody(body, room.subarray(head.length));
    if (written !== length) throw new Error(`Cannot send a message: its body is not ${length} bytes long`);
    return room;
  }

  /** Closes at once; anyone who waits for bytes gets `error`. */
  close(error: unknown = new Error("The connection was closed")): void {
    if (this.#closedFor !== undefined) return;
    this.#closedFor = { error };
    this.#close();
  }
}
