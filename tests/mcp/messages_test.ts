/** MCP servers on the Messages API: toolsets, blocks, listings, and the way back, on every upstream wire. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { calls, eventsOf, says, send, type Sent, upstreamWires, wholeOf } from "../server_tools/rig.ts";
import { type McpMock, withMcp } from "./rig.ts";

const ask = { role: "user", content: "Do it." };
const TOKEN = "planted-token-4f9d2c71";

const bodyOf = ({ url }: McpMock, toolset: Json = {}): Json => ({
  max_tokens: 100,
  mcp_servers: [{ type: "url", name: "docs", url, authorization_token: TOKEN }],
  tools: [{ type: "mcp_toolset", mcp_server_name: "docs", ...toolset }],
  messages: [ask],
});

/** Blocks of a message, however it came. */
function blocksOf(sent: Sent, stream: boolean): readonly Json[] {
  if (!stream) {
    const { content } = wholeOf(sent);
    assert(Array.isArray(content));
    return content.map(asObject);
  }
  return eventsOf(sent).filter(({ type }) => type === "content_block_start").map((event) =>
    asObject(event.content_block)
  );
}

for (const wire of upstreamWires) {
  for (const stream of [false, true]) {
    Deno.test(`a toolset's tool is called and shown in blocks (${wire}, ${stream ? "stream" : "whole"})`, async () => {
      await withMcp({}, async ({ gateway, plan, taken, server }) => {
        plan((turn) => turn === 0 ? [calls("echo", { args: { text: "hello" } })] : [says("Done.")]);
        const body = { ...bodyOf(server), model: `mock/${wire}`, stream };
        const blocks = blocksOf(await send(gateway, { api: "messages", body }), stream);
        const own = blocks.filter(({ type }) => String(type).startsWith("mcp_"));
        assert.deepEqual(own.map(({ type }) => type), ["mcp_tool_use", "mcp_tool_result"]);
        const [use = {}, result = {}] = own;
        assert.equal(use.name, "echo");
        assert.equal(use.server_name, "docs");
        assert.equal(result.tool_use_id, use.id);
        assert.equal(result.is_error, false);
        assert.deepEqual(result.content, [{ type: "text", text: "echo: hello" }]);
        assert.ok(server.taken.every(({ headers }) => headers.get("authorization") === `Bearer ${TOKEN}`));
        assert.ok(!JSON.stringify(taken(wire)).includes(TOKEN), "no provider sees the token");
        if (stream) return;
        plan(() => [says("Again.")]);
        const again = [ask, { role: "assistant", content: blocks }, ask];
        wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: again } }));
        assert.ok(JSON.stringify(taken(wire)[0]).includes("echo: hello"), "the model knows what was called");
        const ran = server.methods().filter((method) => method === "tools/call");
        assert.equal(ran.length, 1);
      });
    });
  }
}

Deno.test("configs of a toolset say which tools are offered", async () => {
  const cases: readonly (readonly [Json, readonly string[]])[] = [
    [{}, ["add", "echo", "fail"]],
    [{ configs: { echo: { enabled: false } } }, ["add", "fail"]],
    [{ default_config: { enabled: false }, configs: { echo: { enabled: true } } }, ["echo"]],
    [{ default_config: { enabled: false }, configs: JSON.parse('{"__proto__": {"enabled": true}}') }, []],
  ];
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    for (const [toolset, expected] of cases) {
      plan(() => [says("Done.")]);
      const body = { ...bodyOf(server, toolset), model: "mock/chat" };
      wholeOf(await send(gateway, { api: "messages", body }));
      const { tools = [] } = taken("chat")[0] ?? {};
      assert(Array.isArray(tools));
      assert.deepEqual(tools.map((tool) => asObject(asObject(tool).function).name), expected);
    }
  });
});

Deno.test("with the beta a response has its listing, and one that comes back, or is pinned, is not made again", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    const headers = { "anthropic-beta": "mcp-client-2026-09-15" };
    const body = { ...bodyOf(server), model: "mock/chat" };
    plan(() => [says("Done.")]);
    const blocks = blocksOf(await send(gateway, { api: "messages", body, headers }), false);
    const [listing] = blocks;
    assert.equal(listing?.type, "mcp_tool_listing");
    assert.equal(listing.mcp_server_name, "docs");
    assert(Array.isArray(listing.tools));
    assert.deepEqual(listing.tools.map(({ name }) => name), ["add", "echo", "fail"]);
    const asked = server.taken.length;
    const again = [ask, { role: "assistant", content: blocks }, ask];
    wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: again }, headers }));
    const pinned = bodyOf(server, { tools: [listing.tools[1]] });
    plan(() => [says("Done.")]);
    wholeOf(await send(gateway, { api: "messages", body: { ...pinned, model: "mock/chat" }, headers }));
    assert.equal(server.taken.length, asked, "the server is not asked");
    const offered = taken("chat")[0]?.tools;
    assert(Array.isArray(offered));
    assert.equal(offered.length, 1);
  });
});

Deno.test("a toolset without its server is 400, and a server that fails leaves the message as it is", async () => {
  await withMcp({ serve: () => new Response(null, { status: 500 }) }, async ({ gateway, plan, server }) => {
    const lost = { ...bodyOf(server, { mcp_server_name: "other" }), model: "mock/chat" };
    const { status, text } = await send(gateway, { api: "messages", body: lost });
    assert.equal(status, 400, text);
    assert.match(text, /mcp_server_name names no server/);
    const [toolset] = asList(bodyOf(server).tools);
    const twice = { ...bodyOf(server), tools: [toolset, toolset], model: "mock/chat" };
    const second = await send(gateway, { api: "messages", body: twice });
    assert.equal(second.status, 400, second.text);
    assert.match(second.text, /tools\[1\]\.mcp_server_name names a server that another toolset has/);
    plan(() => [says("Done.")]);
    const sent = await send(gateway, { api: "messages", body: { ...bodyOf(server), model: "mock/chat" } });
    assert.equal(blocksOf(sent, false).length, 1);
    assert.match(sent.headers.get("x-tollgate-notes") ?? "", /MCP server docs/);
  });
});

Deno.test("a server that cannot be is 400 and names the field", async () => {
  await withMcp({}, async ({ gateway, server }) => {
    const rows: readonly (readonly [server: Json, path: string])[] = [
      [{ url: undefined }, "mcp_servers[1].url is missing"],
      [{ url: "no address" }, "mcp_servers[1].url is no URL"],
      [{ authorization_token: "a\r\nb: c" }, "mcp_servers[1].authorization_token holds what"],
      [{ authorization_token: "é" }, "mcp_servers[1].authorization_token holds what"],
    ];
    const { mcp_servers, ...body } = bodyOf(server);
    for (const [change, path] of rows) {
      const servers = [null, { ...asObject(asList(mcp_servers)[0]), ...change }];
      const { status, text } = await send(gateway, {
        api: "messages",
        body: { ...body, mcp_servers: servers, model: "mock/chat" },
      });
      assert.equal(status, 400, text);
      assert.ok(text.includes(path), text);
    }
    assert.equal(server.taken.length, 0);
  });
});

Deno.test("a public server goes to Anthropic's wire as it came", async () => {
  await withMcp({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Done.")]);
    const body: Json = {
      ...bodyOf({ url: "https://mcp.example.com/mcp", taken: [], methods: () => [] }),
      model: "mock/messages",
    };
    const sent = await send(gateway, { api: "messages", body });
    assert.ok(!sent.text.includes(TOKEN));
    assert.deepEqual(taken("messages")[0]?.tools, body.tools);
    assert.deepEqual(taken("messages")[0]?.mcp_servers, body.mcp_servers);
  });
});
