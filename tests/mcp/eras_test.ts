/** Both generations of the protocol, each transport, and the end of connections and calls. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { until } from "../support/until.ts";
import { calls, itemsOf, says, send, wholeOf } from "../server_tools/rig.ts";
import { mcpTool, named, type Serve, serverOf, type TakenRequest, wellBehaved, withMcp } from "./rig.ts";

const body = { model: "mock/chat", input: "Do it." };

/** The result of a method of the older protocol; undefined: it is unknown there. */
function oldResult({ method, params }: Json): Json | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      };
    case "tools/list":
      return { tools: [named("one"), named("two")] };
    case "tools/call":
      return { content: [{ type: "text", text: `called ${JSON.stringify(params)}` }] };
    default:
      return undefined;
  }
}

const replyTo = (body: Json): Json => {
  const result = oldResult(body);
  return result === undefined
    ? { jsonrpc: "2.0", id: body.id, error: { code: -32601, message: "Method not found" } }
    : { jsonrpc: "2.0", id: body.id, result };
};

/** Server of the older protocol with sessions, which answers in JSON or in streams. */
const oldServer = (asStream: boolean): Serve => (_request, { method, body, headers }) => {
  if (method === "DELETE") return new Response(null, { status: 200 });
  if (body.method === "server/discover") return Response.json(replyTo(body), { status: 400 });
  if (body.id === undefined) return new Response(null, { status: 202 });
  if (body.method !== "initialize") assert.equal(headers.get("mcp-session-id"), "session-1");
  const own = { "mcp-session-id": "session-1" };
  const reply = replyTo(body);
  return asStream
    ? new Response(`event: message\ndata: ${JSON.stringify(reply)}\n\n`, {
      headers: { ...own, "content-type": "text/event-stream" },
    })
    : Response.json(reply, { headers: own });
};

/** Server of the first protocol: a standing stream has all answers. */
function sseServer(): Serve {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const say = (event: string, data: string) =>
    stream?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`));
  return (_request, { method, path, body }) => {
    if (method === "GET") {
      const events = new ReadableStream<Uint8Array>({
        start: (controller) => {
          stream = controller;
          say("endpoint", "/messages?session=1");
        },
      });
      return new Response(events, { headers: { "content-type": "text/event-stream" } });
    }
    if (path !== "/messages") return new Response(null, { status: 405 });
    if (body.id !== undefined) say("message", JSON.stringify(replyTo(body)));
    return new Response(null, { status: 202 });
  };
}

const generations: Readonly<Record<string, Serve>> = {
  "2026-07-28 alone": wellBehaved({ legacy: "reject" }),
  "2025, in JSON": oldServer(false),
  "2025, in streams": oldServer(true),
  "2025, which the question for the protocol breaks": (request, taken) =>
    taken.body.method === "server/discover"
      ? new Response(null, { status: 500 })
      : oldServer(false)(request, taken),
  "2024, SSE": sseServer(),
};

for (const [name, serve] of Object.entries(generations)) {
  Deno.test(`a server is listed and called, and so it is the second time: ${name}`, async () => {
    await withMcp({ serve }, async ({ gateway, plan, server }) => {
      const tool = name.startsWith("2026") ? "echo" : "one";
      for (let round = 0; round < 2; round++) {
        plan((turn) =>
          turn < 2 ? [calls(tool, { args: { text: "x" }, id: `call_${turn}` })] : [says("Done.")]
        );
        const output = itemsOf(wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool(server)] } })));
        const ran = output.filter(({ type }) => type === "mcp_call");
        assert.equal(ran.length, 2);
        assert.ok(ran.every(({ status }) => status === "completed"), JSON.stringify(ran));
      }
      const count = (method: string) => server.methods().filter((one) => one === method).length;
      assert.equal(count("server/discover"), 1, "how it is spoken to is found out once");
      assert.equal(count("tools/call"), 4);
      if (name.startsWith("2026")) return;
      assert.equal(count("tools/list"), 1, "the listing is kept");
      // The first transport is tried once more before the other.
      assert.equal(count("initialize"), name.startsWith("2024") ? 3 : 2, "one connection a request");
      if (name.startsWith("2025")) {
        await until(() => count("DELETE") === 2, { what: "that the sessions are ended" });
      }
    });
  });
}

/** Holds answers of a method back; tells when its connection has been let go of. */
function holding(method: string) {
  const state = { asked: 0, ended: 0 };
  const good = serverOf([named("one")]);
  const serve: Serve = (request, taken: TakenRequest) => {
    if (taken.body.method !== method) return good(request, taken);
    state.asked++;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(": wait\n\n")),
      cancel: () => void state.ended++,
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  return { serve, state };
}

for (const method of ["server/discover", "tools/list", "tools/call"]) {
  Deno.test(`a client that leaves ends what its server is asked: ${method}`, async () => {
    const { serve, state } = holding(method);
    await withMcp({ serve }, async ({ gateway, plan, server }) => {
      plan((turn) => turn === 0 ? [calls("one")] : [says("Done.")]);
      const abort = new AbortController();
      const sending = fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, tools: [mcpTool(server)] }),
        signal: abort.signal,
      }).then((response) => response.text(), () => "left");
      await until(() => state.asked === 1, { what: "that the server is asked" });
      abort.abort();
      assert.equal(await sending, "left");
      await until(() => state.ended === 1, { what: "that the server's connection has ended" });
    });
  });
}
