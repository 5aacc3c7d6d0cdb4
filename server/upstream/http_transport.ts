/**
 * The transport: HTTP/1.1 over Deno's own connections, which are kept between calls. `fetch` takes twice the
 * time for it. `node:http` sends a request again that was cut, and `node:https` goes on reading while nobody
 * takes what it read.
 */

import type { Clock } from "../world.ts";
import { Answer } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { type AnswerHead, badHttp, headLength, MAX_HEAD, parseHead, renderHead } from "./head.ts";
import { Pool } from "./pool.ts";
import { type Transport, TransportError, type UpstreamAnswer, type UpstreamCall } from "./transport.ts";

export interface HttpTransportOptions {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included; 10 s unless told otherwise. */
  readonly connectMs?: number;
  /** Milliseconds that an unused connection is kept; 60 s unless told otherwise. */
  readonly idleMs?: number;
  /** In PEM, trusted besides the roots that Deno trusts (`DENO_CERT`, `DENO_TLS_CA_STORE`). */
  readonly caCerts?: readonly string[];
}

/** A transport with connections of its own. */
export interface HttpTransport extends Transport {
  /** Closes every connection; calls under way fail. */
  close(): void;
}

/** Where a URL leads, worked out once: a provider has few of them and uses them over and over. */
interface Target {
  readonly pool: Pool;
  readonly host: string;
  readonly path: string;
}

/** URLs whose target is remembered; beyond that all are worked out anew. */
const MAX_TARGETS = 1_000;

export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const { clock } = options;
  const pools = new Map<string, Pool>();
  const targets = new Map<string, Target>();
  const targetOf = (text: string): Target => {
    const known = targets.get(text);
    if (known !== undefined) return known;
    const url = new URL(text);
    const pool = pools.get(url.origin) ?? poolTo(url, options);
    const target = { pool, host: url.host, path: url.pathname + url.search };
    if (targets.size >= MAX_TARGETS) targets.clear();
    pools.set(url.origin, pool);
    targets.set(text, target);
    return target;
  };
  const send = async (call: UpstreamCall) => await exchange(call, { clock, target: targetOf(call.url) });
  return Object.assign(send, {
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  });
}

function poolTo(
  url: URL,
  { clock, connectMs = 10_000, idleMs = 60_000, caCerts }: HttpTransportOptions,
): Pool {
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Cannot call a provider by ${url.protocol}`);
  const secure = url.protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (secure ? 443 : 80));
  return new Pool({ hostname, port, secure, caCerts, clock, connectMs, idleMs });
}

interface Means {
  readonly clock: Clock;
  readonly target: Target;
}

/**
 * Sends the request and waits for the answer's head. A request that died on a kept connection before any byte
 * of an answer is sent once more, over a new one: the provider had closed the old one meanwhile.
 */
async function exchange(call: UpstreamCall, means: Means): Promise<UpstreamAnswer> {
  const { signal } = call;
  const { pool } = means.target;
  signal.throwIfAborted();
  const request = requestOf(call, means.target);
  const kept = pool.take();
  if (kept !== undefined) {
    const before = kept.received;
    try {
      return await over(kept, { ...means, request, signal });
    } catch (error) {
      if (signal.aborted || kept.received !== before) throw error;
      pool.dropIdle();
    }
  }
  return await over(await pool.connect(signal), { ...means, request, signal });
}

const encoder = new TextEncoder();

function requestOf({ headers, body }: UpstreamCall, { host, path }: Target): Uint8Array {
  const head = renderHead({ path, host, headers, length: Buffer.byteLength(body) });
  return typeof body === "string" ? encoder.encode(head + body) : Buffer.concat([encoder.encode(head), body]);
}

interface Sending extends Means {
  readonly request: Uint8Array;
  readonly signal: AbortSignal;
}

async function over(connection: Connection, { clock, target, request, signal }: Sending): Promise<Answer> {
  let answer: Answer | undefined;
  const abort = () => {
    answer?.fail(signal.reason);
    connection.close(signal.reason);
  };
  const end = (kept: boolean) => {
    signal.removeEventListener("abort", abort);
    if (kept) target.pool.release(connection);
    else target.pool.drop(connection);
  };
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    connection.send(request);
    const head = await readHead(connection);
    signal.throwIfAborted();
    answer = new Answer(head, { clock, connection, over: end });
    return answer;
  } catch (error) {
    end(false);
    throw error;
  }
}

/** Heads that announce another one before the answer; a provider that sends more has lost its way. */
const MAX_EARLY = 20;

async function readHead(connection: Connection): Promise<AnswerHead> {
  for (let early = 0; early < MAX_EARLY; early++) {
    const length = await headEnd(connection);
    const head = parseHead(connection.bytes.subarray(0, length));
    connection.skip(length);
    if (head.status === 101) throw badHttp("it switches to another protocol");
    if (head.status >= 200) return head;
  }
  throw badHttp("it announces an answer without end");
}

/** Waits until a whole head is there, and says how long it is. */
async function headEnd(connection: Connection): Promise<number> {
  for (let searched = 0;;) {
    const { bytes } = connection;
    const length = headLength(bytes, searched);
    if (length !== undefined) return length;
    if (bytes.length > MAX_HEAD) throw badHttp(`a head of more than ${MAX_HEAD} bytes`);
    searched = bytes.length;
    if (await connection.more()) continue;
    throw new TransportError("connection_reset", "The provider closed the connection before it answered");
  }
}
