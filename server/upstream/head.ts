/** The heads of HTTP/1.1 messages: the request's as text, the answer's as a status and its headers. */

import { TransportError } from "./transport.ts";

export interface RequestHead {
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in bytes. */
  readonly length: number;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VISIBLE = /^[\t\x20-\x7e]*$/;

/** Throws when a header holds what could end it, or the head, before its time. */
export function renderHead({ path, host, headers, length }: RequestHead): string {
  let text =
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\naccept-encoding: identity\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!TOKEN.test(name) || !VISIBLE.test(value)) {
      throw new TypeError(`Cannot send the header ${JSON.stringify(name)}: it holds what a header may not`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

export interface AnswerHead {
  /** 1 or 0, of HTTP/1.x. */
  readonly minor: number;
  readonly status: number;
  /** Names in small letters, in the order they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Bytes of a head that are read; what is longer is none. */
export const MAX_HEAD = 64 * 1024;

const START = "HTTP/1.";
const CR = 13;
const LF = 10;

/**
 * The length of the head at the start of `bytes`, its empty line included; undefined when its end is not there
 * yet. What lies before `from` was searched already. Throws `bad_http` as soon as it can be no head.
 */
export function headLength(bytes: Uint8Array, from: number): number | undefined {
  if (from < START.length) {
    for (let at = from; at < Math.min(START.length, bytes.length); at++) {
      if (bytes[at] !== START.charCodeAt(at)) throw badHttp("the first line is no status line");
    }
  }
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 2] === LF && bytes[at - 1] === CR) return at + 1;
  }
  return undefined;
}

const latin1 = new TextDecoder("latin1");

/** Throws `bad_http` for what is not the head of an HTTP/1.x answer. */
export function parseHead(bytes: Uint8Array): AnswerHead {
  const [first = "", ...lines] = latin1.decode(bytes).split("\r\n").slice(0, -2);
  const status = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/.exec(first);
  if (status === null) throw badHttp("the first line is no status line");
  return { minor: Number(status[1]), status: Number(status[2]), headers: lines.map(parseLine) };
}

function parseLine(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!TOKEN.test(name) || /[\r\n\0]/.test(line)) throw badHttp("a header line is none");
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

/** The values of a header, in their order. */
export function valuesOf({ headers }: AnswerHead, name: string): readonly string[] {
  return headers.filter((header) => header[0] === name).map((header) => header[1]);
}

export function badHttp(what: string): TransportError {
  return new TransportError("bad_http", `The provider does not speak HTTP: ${what}`);
}
