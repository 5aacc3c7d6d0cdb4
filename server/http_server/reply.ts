/** Replies: their heads, and which of them are streams, or whole, or held back for a moment. */

import type { Clock } from "../runtime.ts";

/** A reply whose body is made while it is read. Whoever has it need not ask the runtime for a stream of it. */
export class StreamedReply extends Response {
  readonly stream: ReadableStream<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>, init: ResponseInit) {
    super(stream, init);
    this.stream = stream;
  }
}

/** The fields of a reply's head. `Headers` are one. */
export interface WritableHeaders extends Iterable<readonly [string, string]> {
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/**
 * A few fields of our own making: names in lower case, values that nobody else has written. `Headers` check every
 * value and sort them for every look, which costs more than all the rest of a whole reply.
 */
export class FieldList implements WritableHeaders {
  readonly #fields: [string, string][];

  constructor(...fields: [string, string][]) {
    this.#fields = fields;
  }

  set(name: string, value: string): void {
    const known = this.#fields.find((field) => field[0] === name);
    if (known === undefined) this.#fields.push([name, value]);
    else known[1] = value;
  }

  append(name: string, value: string): void {
    this.#fields.push([name, value]);
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#fields[Symbol.iterator]();
  }
}

/** A reply that is there as a whole, as plain data: a `Response` would take a stream to get its text back out of it. */
export class WholeReply {
  readonly status = 200;
  readonly headers = new FieldList(["content-type", "application/json"]);
  /** JSON text. */
  readonly body: string;

  constructor(body: string) {
    this.body = body;
  }
}

/** What a door sends. */
export type HttpReply = Response | WholeReply;

/**
 * A reply that is made and may not leave yet: what it tells is still being written down. All that can be done
 * before is done by then, and little is left to do for many that may leave at the same moment.
 */
export class HeldReply {
  readonly #reply: WholeReply;
  readonly #until: Promise<Response | undefined>;
  #finish = (reply: HttpReply): HttpReply => reply;

  /** `until`: resolves when it may leave, or with what leaves in its place. */
  constructor(reply: WholeReply, until: Promise<Response | undefined>) {
    this.#reply = reply;
    this.#until = until;
  }

  /** Has `finish` add to whatever leaves in the end what can only be said then. */
  finishedBy(finish: (reply: HttpReply) => HttpReply): this {
    this.#finish = finish;
    return this;
  }

  /** What leaves in the end, when it may. */
  async released(): Promise<HttpReply> {
    const instead = await this.#until;
    return this.#finish(instead ?? this.#reply);
  }
}

/** What a request is answered with. */
export type HandledReply = HttpReply | HeldReply;

/** For those who know nothing but the platform's own. */
export async function toResponse(made: HandledReply): Promise<Response> {
  const reply = made instanceof HeldReply ? await made.released() : made;
  if (reply instanceof Response) return reply;
  const { status, headers, body } = reply;
  return new Response(body, { status, headers: [...headers] });
}

/** What a reply is to be to its client. */
export interface ReplyFraming {
  /** 1 or 0, of the request's HTTP/1.x. */
  readonly minor: number;
  /** The connection will carry another request. */
  readonly keepAlive: boolean;
  /** Of the body in bytes; undefined where none is told: it is streamed, or there can be none. */
  readonly length: number | undefined;
  readonly chunked: boolean;
}

/** Of the statuses that the gateway answers with; a client needs no words, but people who read logs do. */
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  524: "A Timeout Occurred",
  529: "Overloaded",
};

/** What the connection itself says. */
const own: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** Makes heads; the date in them is made once a second. */
export class ReplyHeadWriter {
  readonly #clock: Pick<Clock, "now">;
  #second = 0;
  #date = "";

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** With the empty line at its end. Each character stands for a byte. */
  render({ status, headers }: HttpReply, { minor, keepAlive: stays, length, chunked }: ReplyFraming): string {
    let head = `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n`;
    for (const [name, value] of headers) {
      if (!own.has(name)) head += `${name}: ${value}\r\n`;
    }
    if (length !== undefined) head += `content-length: ${length}\r\n`;
    if (chunked) head += "transfer-encoding: chunked\r\n";
    if (!stays) head += "connection: close\r\n";
    else if (minor === 0) head += "connection: keep-alive\r\n";
    return `${head}date: ${this.#now()}\r\n\r\n`;
  }

  #now(): string {
    const second = Math.floor(this.#clock.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * 1_000).toUTCString();
    }
    return this.#date;
  }
}
