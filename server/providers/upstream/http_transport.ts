/**
 * The transport: HTTP/1.1 over Deno's own connections, which are kept between calls. `fetch` takes twice the
 * time for it. `node:http` sends a request again that was cut, and `node:https` goes on reading while nobody
 * takes what it read.
 */

import { isLongText, nextLongStep } from "../../../shared/util/long_step.ts";
import type { Clock } from "../../runtime.ts";
import { HttpUpstreamResponse, type ResponseEnding } from "./http_response.ts";
import type { OutgoingMessage } from "../../http/http1/buffered_socket.ts";
import type { AbortSignalLike } from "./call_abort.ts";
import { restMsOf } from "./response_framing.ts";
import { renderRequestHead } from "./message_head.ts";
import { proxiedRequest, proxyRefusal } from "./proxy_tunnel.ts";
import { readResponseHead } from "./read_response_head.ts";
import type { ConnectionPool, KeptConnection } from "./connections/connection_pool.ts";
import { Pools, type PoolsOptions } from "./connections/connection_pools.ts";
import { type RequestTarget, Targets } from "./request_target.ts";
import {
  KeptConnectionEnded,
  type Transport,
  UnrequestedBytes,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./transport.ts";

/** A transport with connections of its own. */
interface HttpTransport extends Transport {
  /** Closes every connection; calls under way fail. */
  close(): void;
}

export function httpTransport(options: PoolsOptions): HttpTransport {
  const pools = new Pools(options);
  const means = { clock: options.clock, targets: new Targets(), pools };
  const send = (call: UpstreamRequest) => exchange(call, means);
  return Object.assign(send, { close: () => pools.close() });
}

interface TransportDeps {
  readonly clock: Clock;
  readonly targets: Targets;
  readonly pools: Pools;
}

/**
 * Sends the request and waits for the answer's head. Nothing is sent twice here: a kept connection that ends without
 * a byte of an answer is told as such.
 */
async function exchange(
  call: UpstreamRequest,
  { clock, targets, pools }: TransportDeps,
): Promise<UpstreamResponse> {
  const { signal, onSent, credentialHash, fresh = false } = call;
  const target = targets.of(call);
  const pool = pools.to(target);
  signal.throwIfAborted();
  const { secure } = target;
  const request = requestOf(call, { target, pool });
  const sending = { clock, pool, signal, onSent, credentialHash, secure, request };
  const kept = fresh ? undefined : pool.take(credentialHash);
  if (kept === undefined) {
    const connection = await pools.connect(pool, signal);
    return await releaseSocket({ connection, delayedUntil: 0 }, { ...sending, kept: false });
  }
  const { connection } = kept;
  const before = connection.received;
  try {
    return await releaseSocket(kept, { ...sending, kept: true });
  } catch (error) {
    if (signal.aborted || connection.received !== before) throw error;
    // The others have been unused for longer.
    pool.dropIdle();
    throw new KeptConnectionEnded(error);
  }
}

interface Addressed {
  readonly target: RequestTarget;
  readonly pool: ConnectionPool;
}

function requestOf(
  { headers, method = "POST", body }: UpstreamRequest,
  { target, pool }: Addressed,
): OutgoingMessage {
  const length = Buffer.byteLength(body);
  const { host } = target;
  const proxy = pool.plainProxy;
  const addressed = proxy === undefined
    ? { path: target.path, headers }
    : proxiedRequest(proxy, { url: target.origin + target.path, headers });
  return { head: renderRequestHead({ method, host, length, ...addressed }), body, length };
}

interface Sending {
  readonly clock: Clock;
  readonly pool: ConnectionPool;
  readonly request: OutgoingMessage;
  readonly signal: AbortSignalLike;
  readonly onSent: UpstreamRequest["onSent"];
  readonly credentialHash: string;
  readonly secure: boolean;
  /** The connection has carried other requests before. */
  readonly kept: boolean;
}

async function releaseSocket(taken: KeptConnection, sending: Sending): Promise<HttpUpstreamResponse> {
  const { connection } = taken;
  const { clock, pool, request, signal, onSent, credentialHash } = sending;
  let answer: HttpUpstreamResponse | undefined;
  let restMs = 0;
  const abort = () => {
    answer?.fail(signal.reason);
    connection.close(signal.reason);
  };
  const end = (ending: ResponseEnding) => {
    signal.removeEventListener("abort", abort);
    if (ending === "broken") pool.drop(connection);
    else pool.release(connection, { credentialHash, restMs: ending === "reusable" ? restMs : 0 });
  };
  signal.addEventListener("abort", abort);
  try {
    if (isLongText(request.length)) await nextLongStep();
    signal.throwIfAborted();
    onSent?.();
    connection.send(request);
    const head = await readResponseHead(connection, sending);
    signal.throwIfAborted();
    if (!pool.isCredible(taken)) {
      throw new UnrequestedBytes("it sends responses that belong to no request");
    }
    if (head.status === 407 && pool.plainProxy !== undefined) {
      throw proxyRefusal(pool.plainProxy, head.status);
    }
    restMs = restMsOf(head, sending);
    answer = new HttpUpstreamResponse(head, { clock, connection, onEnd: end });
    return answer;
  } catch (error) {
    end("broken");
    if (error instanceof UnrequestedBytes) pool.distrust();
    throw error;
  }
}
