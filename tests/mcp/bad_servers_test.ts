/** Servers that do not behave: each is an error in the item and for the model, and the response goes on. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { calls, itemsOf, says, send, wholeOf } from "../server_tools/rig.ts";
import { mcpTool, named, type Serve, serverOf, withMcp } from "./rig.ts";

const body = { model: "mock/chat", input: "Do it." };
const good = serverOf([named("one")]);

/** Behaves until a method of the protocol is asked for. */
const until = (method: string, serve: Serve): Serve => (request, taken) =>
  taken.body.method === method ? serve(request, taken) : good(request, taken);

const json = (text: string): Response =>
  new Response(text, { headers: { "content-type": "application/json" } });

const answer = (value: Json): Serve => (_request, { body: { id } }) =>
  Response.json({ jsonrpc: "2.0", id, ...value });

/** Bytes without an end, until nobody reads them. */
function flood(contentType: string): Response {
  const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
  const stream = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  return new Response(stream, { headers: { "content-type": contentType } });
}

/** An answer that ends in its middle. */
function cutOff(): Response {
  let sent = false;
  const stream = new ReadableStream({
    pull: (controller) => {
      if (sent) return controller.error(new Error("cut"));
      sent = true;
      controller.enqueue(new TextEncoder().encode('event: message\ndata: {"jsonrpc":"2.0",'));
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

const deep = {
  type: "object",
  ...asObject(JSON.parse('{"properties":{"a":'.repeat(200) + "{}" + "}}".repeat(200))),
};

interface BadServer {
  readonly serve: Serve;
  /** Expected error of the listing, or of the call. */
  readonly error: RegExp;
  readonly type?: string;
  readonly code?: number;
}

const whenListed: Readonly<Record<string, BadServer>> = {
  "401 on the probe": {
    serve: () => new Response("Who are you?", { status: 401 }),
    error: /status 401/,
  },
  "403 on the probe": { serve: () => new Response("No.", { status: 403 }), error: /status 403/ },
  "500 on the probe": { serve: () => new Response("Oh.", { status: 500 }), error: /status 500/ },
  "404 everywhere": { serve: () => new Response("Nothing here.", { status: 404 }), error: /status 404/ },
  "a redirect to a private address": {
    serve: () => new Response(null, { status: 307, headers: { location: "http://10.0.0.1/mcp" } }),
    error: /status 307/,
  },
  "no JSON": { serve: () => json("<html>Hello</html>"), error: /not answer as the protocol/ },
  "HTML": {
    serve: () => new Response("<p>Hello", { headers: { "content-type": "text/html" } }),
    error: /protocol/,
  },
  "an endless answer to the probe": { serve: () => flood("application/json"), error: /longer than 4096 KiB/ },
  "an endless listing": {
    serve: until("tools/list", () => flood("application/json")),
    error: /longer than 4096 KiB/,
  },
  "an endless stream as a listing": {
    serve: until("tools/list", () => flood("text/event-stream")),
    error: /longer than 4096 KiB/,
  },
  "an error of the protocol": {
    serve: until("tools/list", answer({ error: { code: -32000, message: "Come back tomorrow." } })),
    error: /Come back tomorrow/,
  },
  "10,000 tools": {
    serve: serverOf(Array.from({ length: 10_000 }, (_, index) => named(`t${index}`))),
    error: /10000 tools, of 100 at most/,
  },
  "pages without an end": {
    serve: serverOf([named("t")], { nextCursor: "more" }),
    error: /more than 50 pages/,
  },
  "schemas of 300 KiB": {
    serve: serverOf([named("one", { description: "x".repeat(300 * 1024) })]),
    error: /256 KiB/,
  },
  "a listing that is none": {
    serve: until("tools/list", answer({ result: { resultType: "complete", tools: "none" } })),
    error: /protocol/,
  },
  "a listing that asks for input": {
    serve: until("tools/list", answer({ result: { resultType: "input_required", inputRequests: {} } })),
    error: /protocol|input/,
  },
};

for (const [name, { serve, error }] of Object.entries(whenListed)) {
  Deno.test(`a server is left out and the response goes on: ${name}`, async () => {
    await withMcp({ serve }, async ({ gateway, plan, server }) => {
      plan(() => [says("Done.")]);
      const sent = await send(gateway, { body: { ...body, tools: [mcpTool(server)] } });
      const [listing, message] = itemsOf(wholeOf(sent));
      assert.equal(listing?.type, "mcp_list_tools");
      assert.deepEqual(listing.tools, []);
      assert.match(String(listing.error), error);
      assert.equal(message?.type, "message");
      assert.match(sent.headers.get("x-tollgate-notes") ?? "", /MCP server docs are left out/);
    });
  });
}

const input_required = {
  resultType: "input_required",
  inputRequests: {
    ask: {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 5 },
    },
  },
  requestState: "state",
};

const whenCalled: Readonly<Record<string, BadServer>> = {
  "a request for sampling": {
    serve: until("tools/call", answer({ result: input_required })),
    error: /asks for input/,
    type: "mcp_protocol_error",
  },
  "an end in its middle": {
    serve: until("tools/call", cutOff),
    error: /./,
  },
  "no JSON": { serve: until("tools/call", () => json("{")), error: /protocol/, type: "mcp_protocol_error" },
  "500": {
    serve: until("tools/call", () => new Response("secret words", { status: 500 })),
    error: /^The server answers with the status 500 of HTTP\.$/,
    type: "http_error",
    code: 500,
  },
  "401": {
    serve: until("tools/call", () => new Response(null, { status: 401 })),
    error: /status 401/,
    type: "http_error",
    code: 401,
  },
  "a redirect inside": {
    serve: until("tools/call", () => Response.redirect("http://127.0.0.1:1/mcp", 307)),
    error: /status 307/,
    type: "http_error",
  },
  "100 MB": {
    serve: until("tools/call", () => flood("application/json")),
    error: /4096 KiB/,
    type: "http_error",
  },
  "100 MB as a stream": {
    serve: until("tools/call", () => flood("text/event-stream")),
    error: /4096 KiB/,
    type: "http_error",
  },
  "an error of the protocol": {
    serve: until("tools/call", answer({ error: { code: -32602, message: "Wrong arguments." } })),
    error: /Wrong arguments/,
    type: "mcp_protocol_error",
    code: -32602,
  },
  "a result that is none": {
    serve: until("tools/call", answer({ result: 7 })),
    error: /protocol/,
    type: "mcp_protocol_error",
  },
};

for (const [name, { serve, error, type, code }] of Object.entries(whenCalled)) {
  Deno.test(`a call fails, the model is told so and goes on: ${name}`, async () => {
    await withMcp({ serve }, async ({ gateway, plan, taken, server }) => {
      plan((turn) => turn === 0 ? [calls("one")] : [says("Done.")]);
      const output = itemsOf(wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool(server)] } })));
      const call = output.find((item) => item.type === "mcp_call");
      assert.equal(call?.status, "failed");
      const shown = asObject(call.error);
      assert.match(String(shown.message), error);
      if (type !== undefined) assert.equal(shown.type, type);
      if (code !== undefined) assert.equal(shown.code, code);
      assert.equal(output.at(-1)?.type, "message");
      const told = JSON.stringify(taken("chat")[1]);
      assert.ok(told.includes(String(shown.message)), "the model is told the same");
      assert.equal(
        server.methods().filter((method) => method === "tools/call").length,
        1,
        "and it is tried once",
      );
    });
  });
}

Deno.test("a tool's own error is told in its words", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    plan((turn) => turn === 0 ? [calls("fail")] : [says("Done.")]);
    const output = itemsOf(wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool(server)] } })));
    const call = output.find(({ type }) => type === "mcp_call");
    assert.equal(call?.status, "failed");
    assert.equal(call.output, null);
    assert.deepEqual(call.error, {
      type: "mcp_tool_execution_error",
      content: [{ type: "text", text: "The disk is full." }],
    });
    assert.ok(JSON.stringify(taken("chat")[1]).includes("The disk is full."));
  });
});

Deno.test("schemas are passed on as they are and nothing of them is fetched; one too deep is left out", async () => {
  const odd = {
    type: "object",
    properties: { a: { $ref: "http://127.0.0.1:9/schema.json" }, self: { $ref: "#" } },
  };
  const serve = serverOf([named("odd", { inputSchema: odd }), named("deep", { inputSchema: deep })]);
  await withMcp({ serve }, async ({ gateway, plan, taken, server }) => {
    plan(() => [says("Done.")]);
    wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool(server)] } }));
    const [offered] = taken("chat");
    assert(Array.isArray(offered?.tools));
    assert.equal(offered.tools.length, 1);
    assert.deepEqual(asObject(asObject(offered.tools[0]).function).parameters, odd);
    assert.deepEqual(new Set(server.methods()), new Set(["server/discover", "tools/list"]));
  });
});

Deno.test("a long result is cut, and pictures are named", async () => {
  const content = [
    { type: "text", text: "a".repeat(200_000) },
    { type: "image", data: "aGFsbG8=", mimeType: "image/png" },
    { type: "resource_link", uri: "file:///a", name: "a" },
  ];
  const serve = until("tools/call", answer({ result: { resultType: "complete", content } }));
  await withMcp({ serve }, async ({ gateway, plan, server }) => {
    plan((turn) => turn === 0 ? [calls("one")] : [says("Done.")]);
    const output = itemsOf(wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool(server)] } })));
    const told = String(output.find(({ type }) => type === "mcp_call")?.output);
    assert.ok(told.length <= 64 * 1024 && told.length > 60_000);
    assert.ok(told.includes("left out") && told.includes("[image image/png") && told.includes("[resource a"));
    assert.ok(!told.includes("aGFsbG8="));
  });
});

/** Addresses that no caller may name, and the words of each refusal. */
const refusedAddresses: readonly (readonly [url: string, told: RegExp])[] = [
  ["http://127.0.0.1:1/mcp", /Only https URLs .* fetch\.allowed_hosts .* does not name 127\.0\.0\.1:1\./],
  ["https://mcp.example:8443/", /Only port 443 .* does not name mcp\.example:8443\./],
  ["https://169.254.169.254/mcp", /not on the public Internet\. .* does not name 169\.254\.169\.254\./],
  ["https://ann:pass-word-1@mcp.example/", /may not be called: URLs with a user or a password/],
  ["ftp://mcp.example/", /may not be called: URLs of the scheme ftp:/],
];

Deno.test("an address that may not be called is told with the setting that would allow it", async () => {
  await withMcp({}, async ({ gateway, plan }) => {
    for (const [url, told] of refusedAddresses) {
      plan(() => [says("Done.")]);
      const reply = wholeOf(await send(gateway, { body: { ...body, tools: [mcpTool({ url })] } }));
      const listing = itemsOf(reply).find(({ type }) => type === "mcp_list_tools");
      assert.match(String(listing?.error), told, url);
      assert.match(JSON.stringify(reply.notes), told, url);
      assert.doesNotMatch(JSON.stringify(reply), /pass-word-1/);
    }
  });
});
