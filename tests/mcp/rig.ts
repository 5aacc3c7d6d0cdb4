/** A gateway whose requests name MCP servers on loopback, of the public library or made by hand. */

import * as z from "zod";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { type RigOptions, type ToolRig, withTools } from "../server_tools/rig.ts";

/** A request that a server got. */
export interface TakenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
}

/** Answers a request; the body is its JSON. */
export type Serve = (request: Request, taken: TakenRequest) => Response | Promise<Response>;

export interface McpMock {
  readonly url: string;
  readonly taken: readonly TakenRequest[];
  /** Methods of the protocol that were asked for, in their order. */
  readonly methods: () => readonly string[];
}

interface McpRig extends ToolRig {
  readonly server: McpMock;
  /** Starts one more server, which requests may name as well. */
  readonly other: McpMock;
}

interface McpOptions extends RigOptions {
  readonly serve?: Serve;
  readonly serveOther?: Serve;
}

export async function withMcp(
  { serve = wellBehaved(), serveOther = wellBehaved(), file, ...options }: McpOptions,
  test: (rig: McpRig) => Promise<void>,
): Promise<void> {
  await using server = startMcp(serve);
  await using other = startMcp(serveOther);
  const hosts = [server, other].map(({ url }) => new URL(url).host);
  await withTools(
    { ...options, file: { fetch: { allowed_hosts: hosts }, ...file } },
    (rig) => test({ ...rig, server, other }),
  );
}

export function startMcp(serve: Serve): McpMock & AsyncDisposable {
  const taken: TakenRequest[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.clone().text();
    const one: TakenRequest = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body: text === "" ? {} : JSON.parse(text),
    };
    taken.push(one);
    return await serve(request, one);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    taken,
    methods: () => taken.map(({ method, body }) => typeof body.method === "string" ? body.method : method),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Server of the public library with an echo, a sum that only reads, and a tool that fails. Both generations. */
export function wellBehaved(options: { readonly legacy?: "stateless" | "reject" } = {}): Serve {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "mock", version: "1.0.0" });
    server.registerTool("echo", {
      description: "Says the same again.",
      inputSchema: z.object({ text: z.string() }),
    }, ({ text }) => ({ content: [{ type: "text", text: `echo: ${text}` }] }));
    server.registerTool("add", {
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      annotations: { readOnlyHint: true },
    }, ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
    server.registerTool(
      "fail",
      { description: "Fails.", inputSchema: z.object({}) },
      () => ({ isError: true, content: [{ type: "text", text: "The disk is full." }] }),
    );
    return server;
  }, options);
  return (request) => handler.fetch(request);
}

/** Server of the newer protocol, made by hand: it lists these tools, and answers calls with their name. */
export function serverOf(tools: readonly Json[], listed: Json = {}): Serve {
  return (_request, { body: { id, method, params } }) => {
    const result = (value: Json) =>
      Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } });
    switch (method) {
      case "server/discover":
        return result({
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          serverInfo: { name: "hand", version: "1" },
          ttlMs: 0,
          cacheScope: "private",
        });
      case "tools/list":
        return result({ tools, ttlMs: 600_000, cacheScope: "private", ...listed });
      case "tools/call":
        return result({ content: [{ type: "text", text: `called ${asObject(params).name}` }] });
      default:
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Unknown." } });
    }
  };
}

export const named = (name: string, more: Json = {}): Json => ({
  name,
  description: `Tool ${name}.`,
  inputSchema: { type: "object", properties: {} },
  ...more,
});

/** The tool of a request that names a server. */
export const mcpTool = ({ url }: Pick<McpMock, "url">, settings: Json = {}): Json => ({
  type: "mcp",
  server_label: "docs",
  server_url: url,
  require_approval: "never",
  ...settings,
});
