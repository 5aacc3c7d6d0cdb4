/**
 * Just enough HTTP/1.1 over a raw connection for a load generator and an instant upstream, both of which must
 * cost far less than the servers between them. Trusts the other side: for benchmarks only.
 */

const decoder = new TextDecoder("latin1");
const encoder = new TextEncoder();
const CR = 13;
const LF = 10;

export async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

/** A buffered reader of heads, lines and bodies. */
export class HttpReader {
  readonly #conn: Deno.Conn;
  #buffer = new Uint8Array(64 * 1024);
  #start = 0;
  #end = 0;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** A head without its blank line; undefined when the other side has closed. */
  async head(): Promise<string | undefined> {
    for (let scanned = 0;;) {
      const at = this.#blankLine(this.#start + Math.max(0, scanned - 3));
      if (at !== -1) {
        const head = decoder.decode(this.#buffer.subarray(this.#start, at));
        this.#start = at + 4;
        return head;
      }
      scanned = this.#end - this.#start;
      if (!await this.#more()) return undefined;
    }
  }

  /** Exactly `length` bytes as text. */
  async exactly(length: number): Promise<string> {
    while (this.#end - this.#start < length) {
      if (!await this.#more()) throw new Error("The connection closed within a body");
    }
    const text = decoder.decode(this.#buffer.subarray(this.#start, this.#start + length));
    this.#start += length;
    return text;
  }

  /** The body's chunks as they come, as a chunked or a length-delimited answer brings them. */
  async *chunks(head: string): AsyncGenerator<string> {
    const length = contentLength(head);
    if (length !== undefined) return yield await this.exactly(length);
    for (;;) {
      const size = parseInt(await this.#line(), 16);
      if (Number.isNaN(size)) throw new Error("A chunk without a size");
      if (size > 0) yield* this.#some(size);
      await this.exactly(2);
      if (size === 0) return;
    }
  }

  /** `length` bytes, in chunks as small as they arrive. */
  async *#some(length: number): AsyncGenerator<string> {
    for (let left = length; left > 0;) {
      if (this.#end === this.#start && !await this.#more()) {
        throw new Error("The connection closed within a chunk");
      }
      const size = Math.min(left, this.#end - this.#start);
      left -= size;
      yield await this.exactly(size);
    }
  }

  async #line(): Promise<string> {
    for (let at = this.#start;; at++) {
      while (at >= this.#end) {
        const read = at - this.#start;
        if (!await this.#more()) throw new Error("The connection closed within a line");
        at = this.#start + read;
      }
      if (this.#buffer[at] !== LF) continue;
      const line = decoder.decode(this.#buffer.subarray(this.#start, at));
      this.#start = at + 1;
      return line;
    }
  }

  #blankLine(from: number): number {
    const bytes = this.#buffer;
    for (let at = from; at + 3 < this.#end; at++) {
      if (bytes[at] !== CR || bytes[at + 2] !== CR) continue;
      if (bytes[at + 1] === LF && bytes[at + 3] === LF) return at;
    }
    return -1;
  }

  async #more(): Promise<boolean> {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (this.#end === this.#buffer.length) this.#makeRoom();
    const read = await this.#conn.read(this.#buffer.subarray(this.#end));
    if (read === null) return false;
    this.#end += read;
    return true;
  }

  #makeRoom(): void {
    const held = this.#buffer.subarray(this.#start, this.#end);
    const roomy = held.length * 2 > this.#buffer.length
      ? new Uint8Array(this.#buffer.length * 2)
      : this.#buffer;
    roomy.set(held);
    this.#buffer = roomy;
    this.#end = held.length;
    this.#start = 0;
  }
}

/** Reads the length of a body from its head, in bytes. */
export function contentLength(head: string): number | undefined {
  const found = /\ncontent-length: *(\d+)/i.exec(head);
  return found === null ? undefined : Number(found[1]);
}

/** The status of an answer's head; 0 when there is none. */
export function statusOf(head: string): number {
  return Number(head.slice(9, 12)) || 0;
}

export interface Post {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A POST as bytes, ready to be written again and again. */
export function renderPost({ host, path, headers, body }: Post): Uint8Array {
  const bytes = encoder.encode(body);
  const all = { host, "content-type": "application/json", "content-length": `${bytes.length}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return encoder.encode(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
