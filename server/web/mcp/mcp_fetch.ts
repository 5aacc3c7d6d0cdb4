/** The network of an MCP client: every request goes by the guarded way, and ends when its connection does. */

import type { GuardedReply, GuardedRequest } from "../fetch/guarded_request.ts";

interface McpFetchOptions {
  readonly request: GuardedRequest;
  /** Ends every request. */
  readonly life: AbortSignal;
  /** Bytes of one answer that are read at most. */
  readonly maxBytes: number;
  /** Told why a request came to nothing: the client's own errors lose it. */
  readonly onFailure: (error: unknown) => void;
  /** Standing streams of the older protocol's servers are opened. */
  readonly streams: boolean;
}

type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Headers of an answer that a client reads. */
const readHeaders = ["content-type", "location", "mcp-session-id", "www-authenticate"] as const;
/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function mcpFetch({ request, life, maxBytes, onFailure, streams }: McpFetchOptions): McpFetch {
  return async (url, init = {}) => {
    const method = methodOf(init.method);
    if (method === "GET" && !streams) return new Response(null, { status: 405 });
    const signal = init.signal == null ? life : AbortSignal.any([life, init.signal]);
    try {
      const headers = Object.fromEntries(new Headers(init.headers));
      const body = typeof init.body === "string" ? init.body : "";
      const reply = await request({ url: String(url), method, headers, body, signal, maxBytes });
      return responseOf(reply, onFailure);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
}

const methodOf = (method: string | undefined): "GET" | "POST" | "DELETE" =>
  method === "POST" || method === "DELETE" ? method : "GET";

function responseOf(reply: GuardedReply, onFailure: (error: unknown) => void): Response {
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
  return new Response(bodyOf(reply, onFailure), { status, headers });
}

function bodyOf(reply: GuardedReply, onFailure: (error: unknown) => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const bytes = await reply.read();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      } catch (error) {
        onFailure(error);
        throw error;
      }
    },
    cancel: () => reply.close(),
  }, { highWaterMark: 0 });
}
