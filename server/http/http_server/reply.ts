/** Replies: their heads, and which of them are streams or whole. */

import type { Clock } from "../../runtime.ts";

/**
 * A reply whose body is made while it is read. A caller who has it need not ask the runtime for a stream of it.
 */
export class StreamedReply extends Response {
  readonly stream: ReadableStream<Uint8Array>;
  /** Length of the body in bytes, where it is known. A body that ends before breaks the connection. */
  readonly length: number | undefined;

  constructor(stream: ReadableStream<Uint8Array>, init: StreamedReplyInit) {
    super(stream, init);
    this.stream = stream;
    this.length = init.length;
    // For a platform that frames replies itself.
    if (init.length !== undefined) this.headers.set("content-length", String(init.length));
  }
}

interface StreamedReplyInit extends ResponseInit {
  readonly length?: number;
}

/** The fields of a reply's head, by their names in lower case. */
export type ReplyHeaders = Pick<Headers, "set"> & Iterable<readonly [string, string]>;

/**
 * A reply that is there as a whole, as plain data: a `Response` and its `Headers` take 7% of the processor time of a
 * request (median of 30 alternations).
 */
export class WholeReply {
  readonly status = 200;
  readonly headers = new Map([["cache-control", "no-store"], ["content-type", "application/json"]]);
  /** JSON text. */
  readonly body: string;

  constructor(body: string) {
    this.body = body;
  }
}

/** Reply to a request. */
export type HttpReply = Response | WholeReply;

/** For those who know nothing but the platform's own. A reply to HEAD has no body, and nobody would close it. */
export function toResponse(reply: HttpReply, method = "GET"): Response {
  if (reply instanceof StreamedReply && method === "HEAD") cancelBody(reply);
  if (method === "HEAD") return new Response(null, { status: reply.status, headers: [...reply.headers] });
  if (reply instanceof Response) return reply;
  const { status, headers, body } = reply;
  return new Response(body, { status, headers: [...headers] });
}

/** Frees what a body that nobody reads holds. */
export function cancelBody({ stream }: StreamedReply): void {
  stream.cancel().catch(() => {
    // What has broken already has nothing to release.
  });
}

/** Framing of a reply for its client. */
interface ReplyFraming {
  /** 1 or 0, of the request's HTTP/1.x. */
  readonly minor: number;
  /** The connection will carry another request. */
  readonly keepAlive: boolean;
  /** Length of the body in bytes; undefined where none is sent: it is streamed, or there can be none. */
  readonly length: number | undefined;
  readonly chunked: boolean;
}

/** Reason phrases of the statuses that the gateway answers with; a client needs none, but people who read logs do. */
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
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
  416: "Range Not Satisfiable",
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

/** Headers that the connection itself writes. */
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
  render({ status, headers }: HttpReply, { minor, keepAlive, length, chunked }: ReplyFraming): string {
    let head = `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n`;
    for (const [name, value] of headers) {
      if (!own.has(name)) head += `${name}: ${value}\r\n`;
    }
    if (length !== undefined) head += `content-length: ${length}\r\n`;
    if (chunked) head += "transfer-encoding: chunked\r\n";
    if (!keepAlive) head += "connection: close\r\n";
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
