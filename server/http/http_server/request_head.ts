/** The heads of requests: where they end, and what they say (RFC 9112, sections 2 to 6). */

import { Buffer } from "node:buffer";
import { malformedRequest, ProtocolError } from "./protocol_error.ts";

/** Bytes of a head, its empty line included. */
const MAX_HEAD = 64 * 1024;
const MAX_FIELDS = 200;

const CR = 13;
const LF = 10;

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const FIRST_BYTE = new RegExp(`^${TOKEN}`);
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]+) HTTP/(\\d)\\.(\\d)$`);
/** A field as a line: no folding, no space before the colon, no control characters. */
export const HEADER_FIELD = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*$`);
const FIELDS = new RegExp(`^(?:${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n)*$`);

/** Looks for the end of the head that begins a connection's bytes, while they come. */
export class HeadScanner {
  /** Where the line begins whose end is still to come, and where the search for it goes on. */
  #line = 0;
  #from = 0;
  #lines = 0;
  #blank = 0;

  /** A new head begins; what was said of the one before is forgotten. */
  reset(): void {
    this.#line =
      this.#from =
      this.#lines =
      this.#blank =
        0;
  }

  /**
   * The length of the head, its empty line included; undefined while its end is not there. Throws a
   * {@link ProtocolError} as soon as it can be none.
   */
  find(bytes: Uint8Array): number | undefined {
    this.#start(bytes);
    for (let at = bytes.indexOf(LF, this.#from); at !== -1; at = bytes.indexOf(LF, this.#line)) {
      if (bytes[at - 1] !== CR) throw malformedRequest("a line does not end in CR and LF");
      if (at - this.#line === 1) return this.#ended(at + 1);
      this.#line = at + 1;
      if (++this.#lines > MAX_FIELDS + 1) throw tooLarge(`more than ${MAX_FIELDS} header fields`);
    }
    this.#from = bytes.length;
    if (bytes.length > MAX_HEAD) throw this.#tooLong();
    return undefined;
  }

  /** How many bytes in front are no part of the head: one empty line is forgiven, as old clients send it. */
  get blank(): number {
    return this.#blank;
  }

  #start(bytes: Uint8Array): void {
    if (this.#from > 2 || bytes.length === 0) return;
    if (bytes[0] === CR && this.#blank === 0) {
      if (bytes.length === 1) return;
      if (bytes[1] !== LF) throw malformedRequest("it begins with a bare CR");
      this.#blank = this.#line = this.#from = 2;
    }
    const first = bytes[this.#blank];
    if (first === undefined || FIRST_BYTE.test(String.fromCharCode(first))) return;
    throw malformedRequest("it does not begin with a method");
  }

  #ended(at: number): number {
    if (at > MAX_HEAD) throw this.#tooLong();
    return at;
  }

  #tooLong(): ProtocolError {
    if (this.#lines === 0) return new ProtocolError(414, `The address is longer than ${MAX_HEAD} bytes.`);
    return tooLarge(`more than ${MAX_HEAD} bytes`);
  }
}

const tooLarge = (what: string) => new ProtocolError(431, `The request's head has ${what}.`);

/** How long a body is, or that it comes in chunks. */
export type BodyLength = number | "chunked";

export interface RequestLineAndHeaders {
  readonly method: string;
  /** Absolute, with `Host` for its authority unless the request line names another. */
  readonly url: string;
  readonly headers: HeaderFieldMap;
  /** 1 or 0, of HTTP/1.x. */
  readonly minor: number;
  readonly length: BodyLength;
  /** The client would send further requests over the connection. */
  readonly keepAlive: boolean;
  /** It waits for a go-ahead before it sends the body. */
  readonly expects: boolean;
}

/** The fields of a head by their names in small letters; what came several times is joined by commas. */
class HeaderFieldMap {
  readonly #values = new Map<string, string>();

  add(name: string, value: string): void {
    const before = this.#values.get(name);
    this.#values.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  /** Null when there is none. */
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }
}

/** Headers of which a request may have only one: of two, each reader might believe another. */
const single: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding"]);

interface HeadRules {
  /** A proxy is asked for tunnels: of `CONNECT host:port` the URL is `https://host:port`. */
  readonly tunnels: boolean;
}

/** Throws a {@link ProtocolError} for what is no head of an HTTP/1.1 request. `bytes` ends with the empty line. */
export function parseRequestHead(
  bytes: Uint8Array,
  rules: HeadRules = { tunnels: false },
): RequestLineAndHeaders {
  // What stands beyond ASCII is taken byte by byte, as browsers and Deno do.
  const text = Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
  const end = text.indexOf("\r\n");
  const [, method = "", target = "", major, minor] = REQUEST_LINE.exec(text.slice(0, end)) ?? [];
  if (method === "") throw malformedRequest("the first line is no request line");
  if (major !== "1" || (minor !== "1" && minor !== "0")) {
    throw new ProtocolError(505, "Unsupported HTTP version: send HTTP/1.1.");
  }
  const fields = readFields(text.slice(end + 2, -2));
  const host = fields.get("host");
  if (host === null && minor === "1") throw malformedRequest("there is no Host");
  return {
    method,
    url: rules.tunnels && method === "CONNECT"
      ? tunnelUrl(target)
      : urlOf(target, { host: host ?? "", method }),
    headers: fields,
    minor: Number(minor),
    length: lengthOf(fields, minor),
    keepAlive: isKeepAlive(fields, minor),
    expects: minor === "1" && fields.get("expect")?.toLowerCase() === "100-continue",
  };
}

function readFields(lines: string): HeaderFieldMap {
  if (!FIELDS.test(lines)) throw malformedRequest("a header line is none");
  const fields = new HeaderFieldMap();
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf("\r\n", at);
    const colon = lines.indexOf(":", at);
    const name = lines.slice(at, colon).toLowerCase();
    if (single.has(name) && fields.get(name) !== null) throw malformedRequest(`there are two fields ${name}`);
    fields.add(name, trimmed(lines.slice(colon + 1, end)));
    at = end + 2;
  }
  return fields;
}

const TRANSACTION = 9;
const SPACE = 32;
const isSpace = (code: number) => code === SPACE || code === TRANSACTION;

/** Without the spaces and transactions around it; `String.trim` would also take a no-break space. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

interface HeaderField {
  readonly host: string;
  readonly method: string;
}

function urlOf(target: string, { host, method }: HeaderField): string {
  if (target.startsWith("/")) return `http://${host}${target}`;
  if (/^https?:\/\//i.test(target)) return target;
  if (target === "*" && method === "OPTIONS") return `http://${host}/*`;
  throw malformedRequest("the address is neither a path nor begins with http://");
}

/** A name or an address, and a port. */
const AUTHORITY = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]):[0-9]{1,5}$/i;

function tunnelUrl(target: string): string {
  if (!AUTHORITY.test(target)) throw malformedRequest("the address of a tunnel is no host with a port");
  return `https://${target}/`;
}

function lengthOf(fields: HeaderFieldMap, minor: string): BodyLength {
  const coding = fields.get("transfer-encoding");
  const length = fields.get("content-length");
  if (coding !== null) {
    if (length !== null) throw malformedRequest("its body has both a length and chunks");
    if (minor === "0") throw malformedRequest("HTTP/1.0 knows no chunks");
    if (coding.toLowerCase() !== "chunked") throw malformedRequest("the only Transfer-Encoding is chunked");
    return "chunked";
  }
  if (length === null) return 0;
  if (!/^\d{1,15}$/.test(length)) throw malformedRequest("Content-Length is no length");
  return Number(length);
}

function isKeepAlive(fields: HeaderFieldMap, minor: string): boolean {
  const connection = fields.get("connection");
  if (connection === null) return minor === "1";
  const options = connection.toLowerCase().split(",").map((option) => option.trim());
  if (options.includes("close")) return false;
  return minor === "1" || options.includes("keep-alive");
}
