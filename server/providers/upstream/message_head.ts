/** The heads of HTTP/1.1 messages: the request's as text, the answer's as a status and its headers. */

import { TransportError } from "./transport.ts";

interface OutgoingHead {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the body, in bytes. A GET has none. */
  readonly length: number;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VISIBLE = /^[\t\x20-\x7e]*$/;

/** Throws when a header holds what could end it, or the head, before its time. */
export function renderRequestHead({ method, path, host, headers, length }: OutgoingHead): string {
  const size = method === "GET" ? "" : `content-length: ${length}\r\n`;
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${size}accept-encoding: identity\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!TOKEN.test(name) || !VISIBLE.test(value)) {
      throw new TypeError(`Cannot send the header ${JSON.stringify(name)}: it holds what a header may not`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

type Header = readonly [name: string, value: string];

export interface ResponseHead {
  /** 1 or 0, of HTTP/1.x. */
  readonly minor: number;
  readonly status: number;
  /** Names in small letters, in the order they came. */
  readonly headers: readonly Header[];
}

/** Bytes of a head that are read; what is longer is none. */
export const MAX_HEAD_BYTES = 64 * 1024;

const START = "HTTP/1.";
const LINE_END = "\r\n";
const CR = 13;
const LF = 10;

/**
 * The length of the head at the start of `bytes`, its empty line included; undefined when its end is not there
 * yet. What lies before `from` was searched already. Throws `bad_http` as soon as it can be no head.
 */
export function headLength(bytes: Uint8Array, from: number): number | undefined {
  if (from < START.length) {
    for (let at = from; at < Math.min(START.length, bytes.length); at++) {
      if (bytes[at] !== START.charCodeAt(at)) throw invalidHttp("the first line is no status line");
    }
  }
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) throw invalidHttp("a line of the head ends without a carriage return");
    if (bytes[at - 2] === LF) return at + 1;
  }
  // A whole head is looked at when it is parsed; behind a bare CR its end might never come.
  const first = bytes.indexOf(CR, Math.max(0, from - 1));
  for (let at = first; at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) throw invalidHttp("a line of the head holds a carriage return");
  }
  return undefined;
}

const latin1 = new TextDecoder("latin1");

/** Throws `bad_http` for what is not the head of an HTTP/1.x answer. */
export function parseResponseHead(bytes: Uint8Array): ResponseHead {
  const text = latin1.decode(bytes);
  const last = text.length - LINE_END.length;
  let end = text.indexOf(LINE_END);
  const status = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/.exec(text.slice(0, Math.max(0, end)));
  if (status === null) throw invalidHttp("the first line is no status line");
  const headers: Header[] = [];
  while (end < last) {
    const start = end + LINE_END.length;
    end = text.indexOf(LINE_END, start);
    // What ends with the head is its empty line.
    if (end < last) headers.push(parseLine(text.slice(start, end)));
  }
  return { minor: Number(status[1]), status: Number(status[2]), headers };
}

function parseLine(line: string): Header {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!TOKEN.test(name) || /[\r\n\0]/.test(line)) throw invalidHttp("a header line is none");
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

const none: readonly string[] = [];

/** The values of a header, in their order. */
export function headerValues({ headers }: ResponseHead, name: string): readonly string[] {
  let values: string[] | undefined;
  for (const header of headers) {
    if (header[0] === name) (values ??= []).push(header[1]);
  }
  return values ?? none;
}

export function invalidHttp(what: string): TransportError {
  return new TransportError("bad_http", `The provider does not speak HTTP: ${what}`);
}
