/** Where the body of an answer ends: by its length, by its chunks, or with the connection (RFC 9112, section 6). */

import { type AnswerHead, badHttp, valuesOf } from "./head.ts";
import { TransportError } from "./transport.ts";

/** What was found in a piece of a connection's bytes. */
export interface Found {
  /** Bytes that were taken, framing included. */
  readonly used: number;
  /** The body's share of them, as a view where it is in one piece; undefined when there is none. */
  readonly body?: Uint8Array;
}

export interface Framing {
  readonly done: boolean;
  /** Takes what there is of the body; throws `bad_http`. */
  find(bytes: Uint8Array): Found;
  /** The connection has ended; throws `cut` in the middle of a body. */
  end(): void;
}

/** The framing that an answer's headers tell; throws `bad_http` when they contradict themselves. */
export function framingOf(head: AnswerHead): Framing {
  if (head.status === 204 || head.status === 304) return new Counted(0);
  const codings = valuesOf(head, "transfer-encoding");
  const lengths = valuesOf(head, "content-length");
  if (codings.length > 0) {
    if (lengths.length > 0) throw badHttp("a body has both a length and chunks");
    if (codings.join().toLowerCase() !== "chunked") throw badHttp("an unknown transfer encoding");
    return new Chunked();
  }
  const [length] = lengths;
  if (length === undefined) return new UntilEnd();
  if (!lengths.every((one) => one === length) || !/^\d{1,15}$/.test(length)) throw badHttp("a bad length");
  return new Counted(Number(length));
}

/** Whether the connection may carry another request behind this answer. */
export function staysOpen(head: AnswerHead): boolean {
  const told = valuesOf(head, "connection");
  return head.minor === 1 && (told.length === 0 || !/(^|[, ])close($|[, ])/i.test(told.join()));
}

const cut = () => new TransportError("cut", "The provider's answer broke off");

class Counted implements Framing {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  find(bytes: Uint8Array): Found {
    const used = Math.min(bytes.length, this.#left);
    this.#left -= used;
    return used === 0 ? { used } : { used, body: bytes.subarray(0, used) };
  }

  end(): void {
    if (!this.done) throw cut();
  }
}

class UntilEnd implements Framing {
  done = false;

  find(bytes: Uint8Array): Found {
    return { used: bytes.length, body: bytes.length === 0 ? undefined : bytes };
  }

  end(): void {
    this.done = true;
  }
}

/** Bytes of one line between chunks, and of all lines behind the last one. */
const MAX_LINE = 4 * 1024;
const MAX_TRAILER = 64 * 1024;

const CR = 13;
const LF = 10;

/** What comes next: the line with a size, a chunk, the end of a chunk's line, or the lines behind the last. */
type Expecting = "size" | "data" | "end" | "trailer" | "nothing";

class Chunked implements Framing {
  #expecting: Expecting = "size";
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  #trailer = 0;

  get done(): boolean {
    return this.#expecting === "nothing";
  }

  find(bytes: Uint8Array): Found {
    const pieces: Uint8Array[] = [];
    let used = 0;
    while (used < bytes.length && !this.done) {
      const step = this.#expecting === "data"
        ? this.#data(bytes.subarray(used), pieces)
        : this.#line(bytes.subarray(used));
      if (step === 0) break;
      used += step;
    }
    if (pieces.length === 0) return { used };
    return { used, body: pieces.length === 1 ? pieces[0] : joined(pieces) };
  }

  end(): void {
    if (!this.done) throw cut();
  }

  #data(bytes: Uint8Array, pieces: Uint8Array[]): number {
    const piece = bytes.subarray(0, this.#left);
    pieces.push(piece);
    this.#left -= piece.length;
    if (this.#left === 0) this.#expecting = "end";
    return piece.length;
  }

  /** Takes one whole line, or nothing when its end is not there yet. */
  #line(bytes: Uint8Array): number {
    const at = bytes.indexOf(LF);
    if (at === -1 && bytes.length > MAX_LINE || at > MAX_LINE) {
      throw badHttp("an endless line between chunks");
    }
    if (at === -1) return 0;
    if (bytes[at - 1] !== CR) throw badHttp("a line between chunks ends badly");
    this.#understand(bytes.subarray(0, at - 1));
    return at + 1;
  }

  #understand(line: Uint8Array): void {
    if (this.#expecting === "size") return this.#begin(line);
    if (this.#expecting === "end") {
      if (line.length > 0) throw badHttp("a chunk is longer than its size");
      this.#expecting = "size";
      return;
    }
    this.#trailer += line.length + 2;
    if (this.#trailer > MAX_TRAILER) throw badHttp("an endless trailer");
    if (line.length === 0) this.#expecting = "nothing";
  }

  #begin(line: Uint8Array): void {
    const size = /^([\da-f]{1,12})[ \t]*(?:;.*)?$/i.exec(String.fromCharCode(...line))?.[1];
    if (size === undefined) throw badHttp("a chunk has no size");
    this.#left = Number.parseInt(size, 16);
    this.#expecting = this.#left === 0 ? "trailer" : "data";
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
