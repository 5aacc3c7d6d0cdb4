/** One GET of a guarded fetch: from a URL whose name is allowed, over an address that is checked, to a reply. */

import type { BufferedSocket } from "../http1/buffered_socket.ts";
import type { Clock } from "../runtime.ts";
import type { ConnectOptions, Destination } from "../upstream/connect.ts";
import { HttpUpstreamResponse } from "../upstream/http_response.ts";
import { renderRequestHead } from "../upstream/message_head.ts";
import { readResponseHead } from "../upstream/read_response_head.ts";
import { ResponseTooLarge } from "../upstream/transport.ts";
import { type FetchTarget, forbiddenHost, isAddress } from "./fetch_target.ts";
import { isPublicAddress } from "./public_address.ts";
import type { Resolver } from "./resolver.ts";

export interface HopDeps {
  readonly clock: Clock;
  readonly resolve: Resolver;
  readonly connect: (to: Destination, options: ConnectOptions) => Promise<BufferedSocket>;
  readonly signal: AbortSignal;
}

export interface HopReply {
  readonly status: number;
  /** The value in any spelling of its name; null when it is missing. */
  header(name: string): string | null;
  /** The whole body, decoded; throws ResponseTooLarge beyond `cap`. */
  bytes(cap: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Lets go of a reply whose body is not wanted. */
  close(): void;
}

/** Addresses of one name that are tried, and the time for each of them. */
const MAX_ADDRESSES = 4;
const CONNECT_MS = 8_000;

const headers = {
  accept: "text/html,application/xhtml+xml,application/pdf,application/json,text/plain;q=0.9,*/*;q=0.5",
  "accept-language": "en;q=0.8,*;q=0.5",
  connection: "close",
  "user-agent": "Tollgate",
} as const;

/** Rejects with a FetchError for a forbidden address, otherwise as the connection fails. */
export async function requestHop(target: FetchTarget, deps: HopDeps): Promise<HopReply> {
  const connection = await connectTo(target, deps);
  const abort = () => connection.close(deps.signal.reason);
  deps.signal.addEventListener("abort", abort);
  try {
    deps.signal.throwIfAborted();
    const { host, pathname, search } = target.url;
    const head = renderRequestHead({ method: "GET", path: pathname + search, host, headers, length: 0 });
    connection.send({ head, body: "", length: 0 });
    const onEnd = () => {
      deps.signal.removeEventListener("abort", abort);
      connection.close();
    };
    const answer = await readResponseHead(connection, { kept: false });
    return hopReply(new HttpUpstreamResponse(answer, { clock: deps.clock, connection, onEnd }));
  } catch (error) {
    deps.signal.removeEventListener("abort", abort);
    connection.close();
    throw error;
  }
}

/** Over the addresses that were checked and no others: the name is not resolved a second time. */
async function connectTo(target: FetchTarget, deps: HopDeps): Promise<BufferedSocket> {
  const { clock, connect, signal } = deps;
  const { hostname, port, secure } = target;
  let failure: unknown;
  for (const address of await checkedAddresses(target, deps)) {
    try {
      return await connect({ hostname, port, secure, address }, { clock, signal, connectMs: CONNECT_MS });
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

/** All of them must be public: a name that has one other address is aimed at it. */
async function checkedAddresses(
  target: FetchTarget,
  { resolve, signal }: HopDeps,
): Promise<readonly string[]> {
  const { hostname, trusted } = target;
  const found = isAddress(hostname) ? [hostname] : await orAborted(resolve(hostname), signal);
  if (found.length === 0) throw new Error(`dns error: ${hostname} has no address`);
  if (!trusted && !found.every(isPublicAddress)) throw forbiddenHost(hostname);
  return found.slice(0, MAX_ADDRESSES);
}

/** A resolver cannot be stopped; nobody waits for it any longer. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function hopReply(response: HttpUpstreamResponse): HopReply {
  return {
    status: response.status,
    header: (name) => response.header(name),
    bytes: (cap) => readBytes(response, cap),
    close: () => response.fail(new Error("The response is not wanted")),
  };
}

async function readBytes(response: HttpUpstreamResponse, cap: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let bytes = await response.read(); bytes !== undefined; bytes = await response.read()) {
    size += bytes.length;
    if (size > cap) {
      const error = new ResponseTooLarge(`The response is longer than ${cap} bytes`);
      response.fail(error);
      throw error;
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
