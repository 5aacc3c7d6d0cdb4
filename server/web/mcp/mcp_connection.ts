/** One connection to a server of the Model Context Protocol, of either generation of it (docs/mcp.md). */

import type { Client, PriorDiscovery, Transport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { Clock } from "../../runtime.ts";
import type { GuardedRequest } from "../fetch/guarded_request.ts";
import { McpError } from "./mcp_error.ts";
import { mcpFetch } from "./mcp_fetch.ts";
import { PendingRequests } from "./pending_requests.ts";

/** A server, and what it is sent with every request. */
export interface McpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a server wants to be spoken to, as an earlier connection has found out. */
export interface McpVerdict {
  readonly prior: PriorDiscovery;
  readonly transport: "http" | "sse";
}

interface ConnectInput {
  readonly server: McpServer;
  readonly request: GuardedRequest;
  readonly clock: Pick<Clock, "after">;
  readonly verdict: McpVerdict | undefined;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** A page of a server's tools. */
interface ToolPage {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
  /** Milliseconds for which it may be kept, where the server says so. */
  readonly ttlMs: number | undefined;
}

export interface McpConnection {
  readonly verdict: McpVerdict;
  /** Rejects with an McpError, or with the signal's reason. */
  readonly listPage: (cursor: string | undefined, signal: AbortSignal) => Promise<ToolPage>;
  /** The whole result. Rejects with an McpError, or with the signal's reason. */
  readonly callTool: (call: McpCall, signal: AbortSignal) => Promise<JsonObject>;
  /** Ends the session of an older server, for as long as the signal lets it. Never rejects. */
  readonly close: (signal: AbortSignal) => Promise<void>;
}

interface McpCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** Bytes of one answer. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The client's own timer, which the signals come before. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/**
 * Rejects with an McpError, or with the signal's reason. Streamable HTTP comes first, then the same without asking for
 * the protocol, which breaks some servers, or HTTP with SSE.
 */
export async function connectMcp(input: ConnectInput): Promise<McpConnection> {
  if (input.verdict !== undefined) return await connectBy(input.verdict.transport, input);
  try {
    return await connectBy("http", input);
  } catch (error) {
    const next = nextAttempt(error);
    if (next === undefined) throw error;
    try {
      return await connectBy(next.transport, { ...input, verdict: next });
    } catch (_other) {
      // That has failed, too: the answer to the first request tells more.
      input.signal.throwIfAborted();
      throw error;
    }
  }
}

/** Statuses of a server of the first protocol, which has nothing that takes a POST at this address. */
const unknownStatuses: readonly number[] = [400, 404, 405, 406, 415];

/** Another way to speak to a server that has answered so; undefined where there is none. */
function nextAttempt(error: unknown): McpVerdict | undefined {
  if (!(error instanceof McpError) || error.fields.type !== "http_error") return undefined;
  const { code } = error.fields;
  const prior = { kind: "legacy" } as const;
  if (code >= 500) return { prior, transport: "http" };
  return unknownStatuses.includes(code) ? { prior, transport: "sse" } : undefined;
}

async function connectBy(kind: "http" | "sse", input: ConnectInput): Promise<McpConnection> {
  const { server, request, verdict, signal, clock } = input;
  const life = new AbortController();
  const pending = new PendingRequests(clock);
  const fetch = mcpFetch({
    request,
    life: life.signal,
    maxBytes: MOST_BYTES,
    pending,
    streams: kind === "sse",
  });
  const { client, transport } = await openClient(kind, { server, fetch });
  // All answers of this transport come by one stream.
  if (kind === "sse") client.onerror = (error) => pending.fail(error, null);
  const close = async () => {
    life.abort(new Error("The connection is closed"));
    await Promise.allSettled([client.close(), transport.close()]);
  };
  try {
    const prior = verdict?.prior;
    await pending.run(signal, () => client.connect(transport, { prior, timeout: TIMEOUT_MS }));
  } catch (error) {
    await close();
    throw error;
  }
  return connectionOf(client, { kind, transport, pending, close });
}

interface OpenedClient {
  readonly kind: "http" | "sse";
  readonly transport: Transport & { readonly terminateSession?: () => Promise<void> };
  readonly pending: PendingRequests;
  readonly close: () => Promise<void>;
}

function connectionOf(client: Client, { kind, transport, pending, close }: OpenedClient): McpConnection {
  const discover = client.getDiscoverResult();
  const prior: PriorDiscovery = client.getProtocolEra() === "modern" && discover !== undefined
    ? { kind: "modern", discover }
    : { kind: "legacy" };
  return {
    verdict: { prior, transport: kind },
    listPage: (cursor, signal) => listPage(client, { cursor, signal, pending }),
    callTool: ({ name, args }, signal) =>
      pending.run(
        signal,
        (headers) =>
          client.request({ method: "tools/call", params: { name, arguments: { ...args } } }, {
            signal,
            timeout: TIMEOUT_MS,
            headers,
          }),
      ),
    close: async (signal) => {
      try {
        if (prior.kind === "legacy" && transport.terminateSession !== undefined) {
          const { terminateSession } = transport;
          await pending.run(signal, () => terminateSession.call(transport));
        }
      } catch (_error) {
        // A server that does not let its session be ended forgets it by itself.
      } finally {
        await close();
      }
    },
  };
}

interface ClientOptions {
  readonly server: McpServer;
  readonly fetch: ReturnType<typeof mcpFetch>;
}

async function openClient(kind: "http" | "sse", { server, fetch }: ClientOptions) {
  const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/client"
  );
  const client = new Client({ name: "tollgate", version: "1" }, {
    capabilities: {},
    // Results are text for the model, so nothing checks them against a server's schema.
    jsonSchemaValidator: {
      getValidator: () => {
        throw new Error("A server's schema is never compiled");
      },
    },
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: TIMEOUT_MS } },
  });
  const options = { fetch, requestInit: { headers: { ...server.headers } } };
  const url = new URL(server.url);
  const transport = kind === "sse"
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
  return { client, transport };
}

interface PageInput extends Pick<OpenedClient, "pending"> {
  readonly cursor: string | undefined;
  readonly signal: AbortSignal;
}

async function listPage(client: Client, { cursor, signal, pending }: PageInput): Promise<ToolPage> {
  const params = cursor === undefined ? {} : { cursor };
  const page: JsonObject = await pending.run(
    signal,
    (headers) => client.request({ method: "tools/list", params }, { signal, timeout: TIMEOUT_MS, headers }),
  );
  const { tools, nextCursor, ttlMs } = page;
  return {
    tools: Array.isArray(tools) ? tools : [],
    nextCursor: typeof nextCursor === "string" ? nextCursor : undefined,
    ttlMs: typeof ttlMs === "number" ? ttlMs : undefined,
  };
}
