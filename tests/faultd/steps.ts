/** Steps of a scripted upstream with a connection, as data. */

export type Step =
  | { readonly type: "send"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: "wait"; readonly ms: number }
  /** Nothing more, until the caller leaves. */
  | { readonly type: "stall" }
  /** Ends the connection with what it has sent. */
  | { readonly type: "close" }
  /** Throws the connection away: the caller sees a reset. */
  | { readonly type: "reset" };

const encoder = new TextEncoder();

export function send(content: string | Uint8Array<ArrayBuffer>): Step {
  return { type: "send", bytes: typeof content === "string" ? encoder.encode(content) : content };
}

export const stall: Step = { type: "stall" };
export const close: Step = { type: "close" };
export const reset: Step = { type: "reset" };

/** How the end of a body is known. */
export type Framing = "chunked" | "close" | number;

export interface Head {
  readonly status?: number;
  readonly type?: string;
  /** A number is the content length. */
  readonly framing: Framing;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response's head. Every answer ends its connection, so an open socket is a call that is still running. */
export function head({ status = 200, type = "application/json", framing, headers = {} }: Head): Step {
  const length = typeof framing === "number" ? { "content-length": String(framing) } : {};
  const chunked = framing === "chunked" ? { "transfer-encoding": "chunked" } : {};
  const all = { "content-type": type, ...length, ...chunked, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return send(`HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`);
}

/** A chunk of a chunked body. */
export function chunk(content: string | Uint8Array<ArrayBuffer>): Step {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const size = encoder.encode(`${bytes.length.toString(16)}\r\n`);
  const whole = new Uint8Array(size.length + bytes.length + 2);
  whole.set(size, 0);
  whole.set(bytes, size.length);
  whole.set([13, 10], size.length + bytes.length);
  return { type: "send", bytes: whole };
}

export const lastChunk: Step = send("0\r\n\r\n");

/** A whole answer with a content length. */
export function* answer(
  body: string | Uint8Array<ArrayBuffer>,
  rest: Omit<Head, "framing"> = {},
): Generator<Step> {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  yield head({ ...rest, framing: bytes.length });
  yield send(bytes);
}
