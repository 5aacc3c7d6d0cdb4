/** Rules of the tool: which tools are offered, under which names, how often a server is asked, and what is refused. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { managed } from "../support/manage.ts";
import { calls, itemsOf, says, send, type Sent, wholeOf } from "../server_tools/rig.ts";
import { type McpMock, mcpTool, named, serverOf, withMcp } from "./rig.ts";

const input = "Do it.";
const model = "mock/chat";

/** Names of the functions of a request to the provider. */
function offeredIn(body: Json | undefined): readonly string[] {
  assert(Array.isArray(body?.tools));
  return body.tools.map((tool) => String(asObject(asObject(tool).function).name));
}

Deno.test("allowed_tools chooses by names and by the server's word that a tool only reads", async () => {
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [undefined, ["add", "echo", "fail"]],
    [null, ["add", "echo", "fail"]],
    [["echo", "missing"], ["echo"]],
    [{ tool_names: ["add", "fail"] }, ["add", "fail"]],
    [{ read_only: true }, ["add"]],
    [{ read_only: false }, ["echo", "fail"]],
    [{ read_only: true, tool_names: ["echo"] }, []],
    [[], []],
  ];
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    for (const [allowed_tools, expected] of cases) {
      plan(() => [says("Done.")]);
      const tools = [mcpTool(server, { allowed_tools }), plain];
      wholeOf(await send(gateway, { body: { model, input, tools } }));
      assert.deepEqual(offeredIn(taken("chat")[0]), [...expected, "plain"], JSON.stringify(allowed_tools));
    }
  });
});

const plain = { type: "function", name: "plain", parameters: { type: "object", properties: {} } };

Deno.test("names are letters that every provider takes, each of them once, and calls find their tools", async () => {
  const long = "x".repeat(80);
  const serve = serverOf([
    named("same"),
    named("plain"),
    named("odd name/äö"),
    named(long),
    named("__proto__"),
  ]);
  const serveOther = serverOf([named("same"), named("constructor")]);
  await withMcp({ serve, serveOther }, async ({ gateway, plan, taken, server, other }) => {
    const tools = [mcpTool(server), mcpTool(other, { server_label: "wiki" }), plain];
    const ask = async () => {
      wholeOf(await send(gateway, { body: { model, input, tools } }));
      return offeredIn(taken("chat")[0]);
    };
    plan(() => [says("Done.")]);
    const offered = await ask();
    assert.deepEqual(offered.filter((name) => name.length < 64), [
      "__proto__",
      "odd_name___",
      "docs__plain",
      "docs__same",
      "constructor",
      "wiki__same",
      "plain",
    ]);
    assert.equal(new Set(offered).size, 8);
    assert.ok(offered.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)));
    plan(() => [says("Done.")]);
    assert.deepEqual(await ask(), offered, "in the same order");
    const expected = new Map([
      ["docs__same", ["docs", "same"]],
      ["wiki__same", ["wiki", "same"]],
      ["odd_name___", ["docs", "odd name/äö"]],
      ["__proto__", ["docs", "__proto__"]],
      ["constructor", ["wiki", "constructor"]],
      [offered.find((name) => name.length === 64) ?? "", ["docs", long]],
    ]);
    for (const [name, [label, own]] of expected) {
      plan((turn) => turn === 0 ? [calls(name)] : [says("Done.")]);
      const output = itemsOf(wholeOf(await send(gateway, { body: { model, input, tools } })));
      const call = output.find(({ type }) => type === "mcp_call");
      assert.deepEqual([call?.server_label, call?.name, call?.output], [label, own, `called ${own}`]);
    }
  });
});

const listings = ({ methods }: McpMock) => methods().filter((method) => method === "tools/list").length;

Deno.test("a listing is kept as long as its server says, for each credential", async () => {
  await withMcp({
    serve: serverOf([named("one")]),
    serveOther: serverOf([named("two")], { ttlMs: 0 }),
  }, async ({ gateway, server, other }) => {
    const ask = async (mock: McpMock, settings: Json = {}) =>
      wholeOf(await send(gateway, { body: { model, input, tools: [mcpTool(mock, settings)] } }));
    await ask(server);
    const first = server.taken.length;
    await ask(server);
    assert.equal(server.taken.length, first, "neither the probe nor the listing is made again");
    await ask(server, { authorization: "token-of-somebody-else" });
    assert.equal(listings(server), 2, "somebody else's listing is another");
    await ask(server, { headers: { "x-key": "1" } });
    assert.equal(listings(server), 3);
    await ask(other);
    await ask(other);
    assert.deepEqual(
      other.methods(),
      ["server/discover", "tools/list", "tools/list"],
      "how to speak is kept",
    );
  });
});

Deno.test("a listing that the client brings back is not made again", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    const ask = { role: "user", content: input };
    const tools = [mcpTool(server)];
    const first = itemsOf(wholeOf(await send(gateway, { body: { model, input: [ask], tools } })));
    const asked = server.taken.length;
    const other = [mcpTool(server, { authorization: "another-credential" })];
    plan(() => [says("Done.")]);
    const body = { model, input: [ask, ...first, ask], tools: other };
    const second = itemsOf(wholeOf(await send(gateway, { body })));
    assert.equal(server.taken.length, asked, "the server is not asked");
    assert.ok(!second.some(({ type }) => type === "mcp_list_tools"));
    assert.deepEqual(offeredIn(taken("chat")[0]), ["add", "echo", "fail"]);
  });
});

Deno.test("defer_loading keeps the tools back until a search has found them", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    plan((turn) =>
      turn === 0
        ? [calls("tool_search", { args: { query: "adds numbers" } })]
        : turn === 1
        ? [calls("add", { args: { a: 2, b: 3 } })]
        : [says("Done.")]
    );
    const tools = [mcpTool(server, { defer_loading: true }), { type: "service:tool_search" }, plain];
    const output = itemsOf(wholeOf(await send(gateway, { body: { model, input, tools } })));
    assert.equal(output.find(({ type }) => type === "mcp_call")?.output, "5");
    const [first, second] = taken("chat").map(offeredIn);
    assert.deepEqual(first, ["tool_search", "plain"]);
    assert.deepEqual(second, ["add", "tool_search", "plain"]);
  });
});

Deno.test("tools are offered to those callers that allowed_callers names", async () => {
  const rows: readonly (readonly [callers: unknown, offered: readonly string[]])[] = [
    [undefined, ["add", "echo", "fail"]],
    [null, ["add", "echo", "fail"]],
    [["direct"], ["add", "echo", "fail"]],
    [["programmatic", "direct"], ["add", "echo", "fail"]],
    [["programmatic"], []],
    [[], []],
  ];
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    for (const [allowed_callers, offered] of rows) {
      for (const stream of [false, true]) {
        plan(() => [says("Done.")]);
        const tools = [mcpTool(server, { allowed_callers }), plain];
        const { status, text } = await send(gateway, { body: { model, input, tools, stream } });
        assert.equal(status, 200, text);
        assert.deepEqual(offeredIn(taken("chat")[0]), [...offered, "plain"], JSON.stringify(allowed_callers));
      }
    }
  });
});

Deno.test("a choice that forces a deferred tool is 400 until a search has found it", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    const later = { ...plain, name: "later", defer_loading: true };
    const search = { type: "service:tool_search" };
    const found = [
      { role: "user", content: input },
      {
        type: "service:tool_search",
        id: "st_1",
        call_id: "call_1",
        status: "completed",
        arguments: '{"query":"later"}',
        query: "later",
        output: '{"tools":[{"name":"later"}]}',
      },
      { role: "user", content: input },
    ];
    const deferred = mcpTool(server, { defer_loading: true });
    const forced = { type: "function", name: "later" };
    const rows:
      readonly (readonly [tools: readonly Json[], choice: Json, status: number, turns?: unknown])[] = [
        [[later, search, plain], forced, 400],
        [[later, search, plain], { type: "function", name: "plain" }, 200],
        [[later, search, plain], forced, 200, found],
        [[deferred, search, plain], { type: "mcp", server_label: "docs", name: "echo" }, 400],
        [[mcpTool(server), search, later], { type: "mcp", server_label: "docs", name: "echo" }, 200],
      ];
    for (const [tools, tool_choice, expected, turns = input] of rows) {
      for (const stream of [false, true]) {
        plan(() => [says("Done.")]);
        const body = { model, input: turns, tools, tool_choice, stream };
        const { status, text } = await send(gateway, { body });
        assert.equal(status, expected, text);
        if (status === 400) assert.match(text, /tool_choice forces (?:later|echo), which is deferred/);
        assert.equal(taken("chat").length, status === 400 ? 0 : 1);
      }
    }
  });
});

Deno.test("server_description is told to the model with every tool", async () => {
  await withMcp({}, async ({ gateway, taken, server }) => {
    const tools = [mcpTool(server, { server_description: "The team's handbook." })];
    wholeOf(await send(gateway, { body: { model, input, tools } }));
    const text = JSON.stringify(taken("chat")[0]?.tools);
    assert.equal(text.split("The team's handbook.").length - 1, 3);
    assert.ok(
      !JSON.stringify(taken("chat")[0]?.messages).includes("handbook"),
      "and stays out of instructions",
    );
  });
});

Deno.test("what a request may not ask for is 400 and names the field", async () => {
  await withMcp({}, async ({ gateway, server }) => {
    const cases: readonly (readonly [readonly Json[], RegExp])[] = [
      [
        [mcpTool(server, { server_url: undefined, connector_id: "connector_gmail" })],
        /tools\[0\]\.connector_id/,
      ],
      [[mcpTool(server, { server_url: undefined })], /tools\[0\]\.server_url/],
      [[mcpTool(server, { server_url: "no address" })], /tools\[0\]\.server_url/],
      [[mcpTool(server, { server_url: undefined, tunnel_id: "tun_1" })], /tools\[0\]\.tunnel_id/],
      [[mcpTool(server, { headers: { "x key": "1" } })], /tools\[0\]\.headers/],
      [[mcpTool(server, { authorization: "a\r\nb: c" })], /tools\[0\]\.authorization/],
      [[mcpTool(server), mcpTool(server)], /docs/],
      [
        Array.from({ length: 11 }, (_, index) => mcpTool(server, { server_label: `s${index}` })),
        /10 MCP servers/,
      ],
    ];
    for (const [tools, expected] of cases) {
      const { status, text } = await send(gateway, { body: { model, input, tools } });
      assert.equal(status, 400, text);
      assert.match(text, expected);
    }
    assert.equal(server.taken.length, 0, "before any server is asked");
  });
});

Deno.test("tool_choice forces a server's tool, or any of a server's", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    const tools = [mcpTool(server), plain];
    const choose = async (tool_choice: Json): Promise<Sent> => {
      plan(() => [says("Done.")]);
      return await send(gateway, { body: { model, input, tools, tool_choice } });
    };
    wholeOf(await choose({ type: "mcp", server_label: "docs", name: "echo" }));
    assert.deepEqual(taken("chat")[0]?.tool_choice, { type: "function", function: { name: "echo" } });
    wholeOf(await choose({ type: "mcp", server_label: "docs" }));
    assert.ok(JSON.stringify(taken("chat")[0]?.tool_choice).includes("required"));
    const allowed = [{ type: "mcp", server_label: "docs", name: "add" }];
    wholeOf(await choose({ type: "allowed_tools", mode: "auto", tools: allowed }));
    assert.equal((await choose({ type: "mcp", server_label: "docs", name: "missing" })).status, 400);
  });
});

Deno.test("a name in the settings that is none of the server's tools is told of", async () => {
  const many = Array.from({ length: 7 }, (_, index) => `t${index}`);
  const rows: readonly (readonly [settings: Json, notes: RegExp | undefined])[] = [
    [{ allowed_tools: ["echo"] }, undefined],
    [{ allowed_tools: { read_only: true } }, undefined],
    [{ allowed_tools: ["ehco", "add"] }, /MCP server docs has no tool ehco, which allowed_tools names/],
    [{ allowed_tools: { tool_names: ["a", "äb"] } }, /has no tool a, \?b, which allowed_tools names/],
    [{ allowed_tools: many }, /has no tool t0, t1, t2, t3, t4 and 2 more, which allowed_tools/],
    [
      { require_approval: { always: { tool_names: ["ehco"] } } },
      /no tool ehco, which require_approval names/,
    ],
    [
      { require_approval: { never: { tool_names: ["x", "add"] } } },
      /no tool x, which require_approval names/,
    ],
    [{ allowed_tools: ["add"], require_approval: { never: { tool_names: ["echo"] } } }, undefined],
  ];
  await withMcp({}, async ({ gateway, plan, server }) => {
    for (const [settings, notes] of rows) {
      plan(() => [says("Done.")]);
      const body = { model, input, tools: [mcpTool(server, settings)] };
      const sent = await send(gateway, { body });
      wholeOf(sent);
      const noted = sent.headers.get("x-tollgate-notes") ?? "";
      if (notes === undefined) assert.ok(!noted.includes("MCP"), noted);
      else assert.match(noted, notes);
    }
    const toolset = { type: "mcp_toolset", mcp_server_name: "docs", configs: { ehco: { enabled: false } } };
    const mcp_servers = [{ type: "url", name: "docs", url: server.url }];
    const messages = [{ role: "user", content: input }];
    plan(() => [says("Done.")]);
    const sent = await send(gateway, {
      api: "messages",
      body: { model, max_tokens: 100, messages, mcp_servers, tools: [toolset] },
    });
    assert.match(sent.headers.get("x-tollgate-notes") ?? "", /no tool ehco, which configs names/);
  });
});

Deno.test("a workspace that has disabled mcp is asked for nothing", async () => {
  await withMcp({}, async ({ gateway, server }) => {
    const { body } = await managed(gateway, { call: "GET /workspaces" });
    assert(Array.isArray(body.data));
    const { id } = asObject(body.data[0]);
    await managed(gateway, { call: `PATCH /workspaces/${id}`, body: { disabled_server_tools: ["mcp"] } });
    const { status, text } = await send(gateway, { body: { model, input, tools: [mcpTool(server)] } });
    assert.equal(status, 403, text);
    assert.equal(server.taken.length, 0);
  });
});
