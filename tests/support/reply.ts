/** An HTTP/1.1 answer, read strictly: whatever a client may choke on fails the test that reads it. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";

export interface Reply {
  readonly version: "1.0" | "1.1";
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Statuses of the interim answers before it. */
  readonly interim: readonly number[];
  /** How the end of the body is told. */
  readonly framing: Framing;
  /** The server goes on listening, as far as the answer's head tells. */
  readonly keepsAlive: boolean;
}

export type Framing = "none" | "length" | "chunked" | "close";

export interface ReplyOptions {
  /** The method that is answered. */
  readonly to?: string;
}

/** Bytes as they come; undefined at the end. */
export type More = () => Promise<Uint8Array | undefined>;

interface ReadOptions extends ReplyOptions {
  /** Bytes that have been read already. */
  readonly first: Uint8Array;
}

export async function readReply(
  more: More,
  { to = "GET", first }: ReadOptions,
): Promise<{ readonly reply: Reply; readonly rest: Uint8Array }> {
  const bytes = new Bytes(more, first);
  const interim: number[] = [];
  for (;;) {
    const head = parseHead(await bytes.upTo("\r\n\r\n"));
    if (head.status < 200) {
      assert.notEqual(head.status, 101, "nothing is upgraded");
      assert(!head.headers.has("content-length") && !head.headers.has("transfer-encoding"));
      interim.push(head.status);
      continue;
    }
    const framing = framingOf(head, to);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readBody(bytes, { head, framing }));
    const keepsAlive = head.version === "1.1"
      ? !tokensOf(head.headers, "connection").includes("close")
      : tokensOf(head.headers, "connection").includes("keep-alive");
    assert(framing !== "close" || !keepsAlive, "a body that ends with its connection says so");
    return { reply: { ...head, text, interim, framing, keepsAlive }, rest: bytes.rest };
  }
}

interface Head {
  readonly version: "1.0" | "1.1";
  readonly status: number;
  readonly headers: Headers;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d) [\t \x21-\x7e\x80-\xff]*$/;
const FIELD_LINE =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[\x21-\x7e\x80-\xff](?:[\t \x21-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)$/;
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
/** Headers that may stand once in an answer. */
const SINGLE = [
  "content-length",
  "transfer-encoding",
  "content-type",
  "date",
  "x-request-id",
  "server-timing",
];

function parseHead(text: string): Head {
  const [line = "", ...fields] = text.slice(0, -4).split("\r\n");
  const [, minor, status] = STATUS_LINE.exec(line) ?? [];
  assert(status !== undefined, `no status line: ${JSON.stringify(line)}`);
  const headers = new Headers();
  const seen = new Set<string>();
  for (const field of fields) {
    const [, name, value = ""] = FIELD_LINE.exec(field) ?? [];
    assert(name !== undefined, `no field line: ${JSON.stringify(field)}`);
    const lower = name.toLowerCase();
    assert(!(seen.has(lower) && SINGLE.includes(lower)), `${lower} stands there twice`);
    seen.add(lower);
    headers.append(name, value);
  }
  if (Number(status) >= 200) assert.match(headers.get("date") ?? "", DATE);
  return { version: minor === "0" ? "1.0" : "1.1", status: Number(status), headers };
}

const tokensOf = (headers: Headers, name: string): readonly string[] =>
  (headers.get(name) ?? "").split(",").map((token) => token.trim().toLowerCase());

/** RFC 9112, 6.3, where nothing is forgiven. */
function framingOf({ version, status, headers }: Head, to: string): Framing {
  const length = headers.get("content-length");
  const coding = headers.get("transfer-encoding");
  assert(length === null || coding === null, "a length and chunks");
  if (length !== null) assert.match(length, /^(?:0|[1-9]\d*)$/);
  if (status === 204) assert(length === null && coding === null, "no content has no length");
  if (to === "HEAD" || status === 204 || status === 304) return "none";
  if (coding !== null) {
    assert.equal(coding, "chunked");
    assert.equal(version, "1.1", "chunks are of HTTP/1.1");
    return "chunked";
  }
  return length === null ? "close" : "length";
}

interface BodyOptions {
  readonly head: Head;
  readonly framing: Framing;
}

async function readBody(bytes: Bytes, { head, framing }: BodyOptions): Promise<Uint8Array> {
  switch (framing) {
    case "none":
      return new Uint8Array(0);
    case "length":
      return await bytes.take(Number(head.headers.get("content-length")));
    case "chunked":
      return await readChunks(bytes);
    case "close":
      return await bytes.toEnd();
    default:
      return framing satisfies never;
  }
}

async function readChunks(bytes: Bytes): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const line = await bytes.upTo("\r\n");
    assert.match(line, /^[0-9A-Fa-f]{1,16}\r\n$/, "the size of a chunk");
    const size = parseInt(line, 16);
    if (size === 0) break;
    chunks.push(await bytes.take(size));
    assert.equal(await bytes.upTo("\r\n"), "\r\n", "a chunk's end");
  }
  assert.equal(await bytes.upTo("\r\n"), "\r\n", "the end of the chunks");
  return joined(chunks);
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Bytes that are looked at before they are taken. */
class Bytes {
  readonly #more: More;
  #held: Uint8Array;

  constructor(more: More, first: Uint8Array) {
    this.#more = more;
    this.#held = first;
  }

  get rest(): Uint8Array {
    return this.#held;
  }

  async #fill(): Promise<void> {
    const bytes = await this.#more();
    assert(bytes !== undefined, `the connection ended within an answer, behind ${show(this.#held)}`);
    this.#held = joined([this.#held, bytes]);
  }

  /** With `end`, one character a byte. */
  async upTo(end: string): Promise<string> {
    for (;;) {
      const at = placeOf(end, this.#held);
      if (at >= 0) {
        const text = latin1(this.#held.subarray(0, at + end.length));
        this.#held = this.#held.subarray(at + end.length);
        return text;
      }
      assert(this.#held.length < 64 * 1024, "the line is too long");
      await this.#fill();
    }
  }

  async take(size: number): Promise<Uint8Array> {
    const chunks = [this.#held];
    let have = this.#held.length;
    while (have < size) {
      const bytes = await this.#more();
      assert(bytes !== undefined, `the connection ended ${size - have} bytes before the body's end`);
      chunks.push(bytes);
      have += bytes.length;
    }
    const all = joined(chunks);
    this.#held = all.subarray(size);
    return all.subarray(0, size);
  }

  async toEnd(): Promise<Uint8Array> {
    const chunks = [this.#held];
    this.#held = new Uint8Array(0);
    for (let bytes = await this.#more(); bytes !== undefined; bytes = await this.#more()) chunks.push(bytes);
    return joined(chunks);
  }
}

/** Where `end` begins; below zero when it is not there. */
function placeOf(end: string, bytes: Uint8Array): number {
  const last = end.length - 1;
  const isAt = (at: number) =>
    [...end].every((character, index) => bytes[at + index] === character.charCodeAt(0));
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (at >= last && isAt(at - last)) return at - last;
  }
  return -1;
}

/** A byte a character: the decoder of that name maps some of them elsewhere. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

const show = (bytes: Uint8Array) => JSON.stringify(latin1(bytes.subarray(0, 200)));
