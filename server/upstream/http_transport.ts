/**
 * The transport: HTTP/1.1 over Deno's own connections, which are kept between calls. `fetch` takes twice the
 * time for it. `node:http` sends a request again that was cut, and `node:https` goes on reading while nobody
 * takes what it read.
 */

import type { Clock } from "../world.ts";
import { Answer } from "./answer.ts";
import type { Connection, Outgoing } from "../http1/connection.ts";
import type { CutSignal } from "./cut.ts";
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
  const send = (call: UpstreamCall) => exchange(call, { clock, targetOf });
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
  readonly targetOf: (url: string) => Target;
}

/**
 * Sends the request and waits for the answer's head. A request that died on a kept connection before any byte
 * of an answer is sent once more, over a new one: the provider had closed the old one meanwhile.
 */
async function exchange(call: UpstreamCall, { clock, targetOf }: Means): Promise<UpstreamAnswer> {
  const { signal } = call;
  const target = targetOf(call.url);
  const { pool } = target;
  signal.throwIfAborted();
  const sending = { clock, pool, signal, request: requestOf(call, target) };
  const kept = pool.take();
  if (kept !== undefined) {
    const before = kept.received;
    try {
      return await over(kept, sending);
    } catch (error) {
      if (signal.aborted || kept.received !== before) throw error;
      pool.dropIdle();
    }
  }
  return await over(await pool.connect(signal), sending);
}

function requestOf({ headers, body }: UpstreamCall, { host, path }: Target): Outgoing {
  const length = Buffer.byteLength(body);
  return { head: renderHead({ path, host, headers, length }), body, length };
}

interface Sending {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly request: Outgoing;
  readonly signal: CutSignal;
}

async function over(connection: Connection, { clock, pool, request, signal }: Sending): Promise<Answer> {
  let answer: Answer | undefined;
  const abort = () => {
    answer?.fail(signal.reason);
    connection.close(signal.reason);
  };
  const end = (kept: boolean) => {
    signal.removeEventListener("abort", abort);
    if (kept) pool.release(connection);
    else pool.drop(connection);
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
  for (let early = 0, searched = 0; early < MAX_EARLY;) {
    const { bytes } = connection;
    const length = headLength(bytes, searched);
    if (length === undefined) {
      if (bytes.length > MAX_HEAD) throw badHttp(`a head of more than ${MAX_HEAD} bytes`);
      searched = bytes.length;
      if (!await connection.more()) throw unanswered();
      continue;
    }
    const head = parseHead(bytes.subarray(0, length));
    connection.skip(length);
    if (head.status === 101) throw badHttp("it switches to another protocol");
    if (head.status >= 200) return head;
    searched = 0;
    early++;
  }
  throw badHttp("it announces an answer without end");
}

const unanswered = () =>
  new TransportError("connection_reset", "The provider closed the connection before it answered");
