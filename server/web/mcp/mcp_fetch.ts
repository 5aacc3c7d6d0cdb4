/** The network of an MCP client: every request goes by the guarded way, and ends when its connection does. */

import { PENDING_HEADER, type PendingRequests } from "./pending_requests.ts";
import type { GuardedReply, GuardedRequest } from "../fetch/guarded_request.ts";

interface McpFetchOptions {
  readonly request: GuardedRequest;
  /** Ends every request. */
  readonly life: AbortSignal;
  /** Bytes of one answer that are read at most. */
  readonly maxBytes: number;
  readonly pending: PendingRequests;
  /** Standing streams of the older protocol's servers are opened. */
  readonly streams: boolean;
}

type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Headers of an answer that a client reads. */
const readHeaders = ["content-type", "location", "mcp-session-id", "www-authenticate"] as const;
/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function mcpFetch({ request, life, maxBytes, pending, streams }: McpFetchOptions): McpFetch {
  return async (url, init = {}) => {
    const method = methodOf(init.method);
    if (method === "GET" && !streams) return new Response(null, { status: 405 });
    const signal = init.signal == null ? life : AbortSignal.any([life, init.signal]);
    const { [PENDING_HEADER]: name = null, ...headers } = Object.fromEntries(new Headers(init.headers));
    const events = { fail: (error: unknown) => pending.fail(error, name), end: () => pending.end(name) };
    try {
      const body = typeof init.body === "string" ? init.body : "";
      return responseOf(await request({ url: String(url), method, headers, body, signal, maxBytes }), events);
    } catch (error) {
      events.fail(error);
      throw error;
    }
  };
}

interface ReplyEvents {
  readonly fail: (error: unknown) => void;
  readonly end: () => void;
}

const methodOf = (method: string | undefined): "GET" | "POST" | "DELETE" =>
  method === "POST" || method === "DELETE" ? method : "GET";

function responseOf(reply: GuardedReply, events: ReplyEvents): Response {
  const headers = new Headers();
  for (const name of readHeaders) {
    const value = reply.header(name);
    if (value !== null) headers.set(name, value);
  }
  const { status } = reply;
  if (bodiless.has(status)) {
    reply.close();
    return new Response(null, { status, headers });
  }
  return new Response(bodyOf(reply, events), { status, headers });
}

function bodyOf(reply: GuardedReply, { fail, end }: ReplyEvents): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const bytes = await reply.read();
        if (bytes !== undefined) return controller.enqueue(bytes);
        controller.close();
        end();
      } catch (error) {
        fail(error);
        throw error;
      }
    },
    cancel: () => reply.close(),
  }, { highWaterMark: 0 });
}
