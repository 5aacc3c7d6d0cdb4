/** One request of a guarded fetch: from a URL whose name is allowed, over an address that is checked, to a reply. */

import type { ProxyAddress } from "../../config/proxies.ts";
import { HttpUpstreamResponse } from "../../providers/upstream/http_response.ts";
import { renderRequestHead } from "../../providers/upstream/message_head.ts";
import { proxiedRequest, proxyRefusal } from "../../providers/upstream/proxy_tunnel.ts";
import { readResponseHead } from "../../providers/upstream/read_response_head.ts";
import { ResponseTooLarge } from "../../providers/upstream/transport.ts";
import { type ConnectionDeps, openConnection } from "./checked_connection.ts";
import type { FetchTarget } from "./fetch_target.ts";

export interface HopReply {
  readonly status: number;
  /** The value in any spelling of its name; null when it is missing. */
  header(name: string): string | null;
  /** The whole body, decoded; throws ResponseTooLarge beyond `cap`. */
  bytes(cap: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The next chunk of the body, decoded; undefined at its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Lets go of a reply whose body is not wanted. */
  close(): void;
}

/** A body in JSON, and headers besides its own. */
export interface HopPost {
  /** Absent: POST. Without a body where it is GET. */
  readonly method?: "POST" | "PUT" | "GET" | "DELETE";
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface HopDeps extends ConnectionDeps {
  /** Absent: the request is a GET. */
  readonly post?: HopPost;
}

const headers = {
  accept: "text/html,application/xhtml+xml,application/pdf,application/json,text/plain;q=0.9,*/*;q=0.5",
  "accept-language": "en;q=0.8,*;q=0.5",
  connection: "close",
  "user-agent": "Tollgate",
} as const;

/** Rejects with a FetchError for a forbidden address, otherwise as the connection fails. */
export async function requestHop(target: FetchTarget, deps: HopDeps): Promise<HopReply> {
  const { connection, plainProxy } = await openConnection(target, deps);
  const abort = () => connection.close(deps.signal.reason);
  const onEnd = () => {
    deps.signal.removeEventListener("abort", abort);
    connection.close();
  };
  deps.signal.addEventListener("abort", abort);
  try {
    deps.signal.throwIfAborted();
    const body = deps.post?.body ?? "";
    const length = new TextEncoder().encode(body).length;
    connection.send({ head: renderHead(target, { plainProxy, post: deps.post, length }), body, length });
    const head = await readResponseHead(connection, { kept: false });
    if (head.status === 407 && plainProxy !== undefined) throw proxyRefusal(plainProxy, head.status);
    return hopReply(new HttpUpstreamResponse(head, { clock: deps.clock, connection, onEnd }));
  } catch (error) {
    onEnd();
    throw error;
  }
}

interface HeadOptions {
  readonly plainProxy: ProxyAddress | undefined;
  readonly post: HopPost | undefined;
  /** Bytes of the body. */
  readonly length: number;
}

function renderHead({ url }: FetchTarget, { plainProxy, post, length }: HeadOptions): string {
  const { host, origin, pathname, search } = url;
  const path = pathname + search;
  const own = post === undefined
    ? headers
    : { ...headers, accept: "application/json", "content-type": "application/json", ...post.headers };
  const addressed = plainProxy === undefined
    ? { path, headers: own }
    : proxiedRequest(plainProxy, { url: origin + path, headers: own });
  return renderRequestHead({
    method: post === undefined ? "GET" : post.method ?? "POST",
    host,
    length,
    ...addressed,
  });
}

function hopReply(response: HttpUpstreamResponse): HopReply {
  return {
    status: response.status,
    header: (name) => response.header(name),
    bytes: (cap) => readBytes(response, cap),
    read: () => response.read(),
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
