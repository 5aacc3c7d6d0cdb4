/** Calls that need an approval: the turn ends, and the next request goes on with what was approved or refused. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import {
  calls,
  eventsOf,
  itemsOf,
  outputOf,
  says,
  send,
  upstreamWires,
  wholeOf,
} from "../server_tools/rig.ts";
import { mcpTool, withMcp } from "./rig.ts";

const ask = { role: "user", content: "Do it." };
const callsOf = (methods: readonly string[]) => methods.filter((method) => method === "tools/call").length;

interface Answer {
  readonly approve: boolean;
  readonly reason?: string;
}

const answerTo = (item: Json | undefined, { approve, reason }: Answer): Json => ({
  type: "mcp_approval_response",
  approval_request_id: item?.id,
  approve,
  ...(reason === undefined ? {} : { reason }),
});

for (const wire of upstreamWires) {
  for (const stream of [false, true]) {
    Deno.test(`an approval ends the turn and the next request goes on (${wire}, ${stream ? "stream" : "whole"})`, async () => {
      await withMcp({}, async ({ gateway, plan, taken, server }) => {
        const tools = [mcpTool(server, { require_approval: "always" })];
        const body = { model: `mock/${wire}`, tools, stream };
        plan(() => [calls("echo", { args: { text: "hello" } })]);
        const first = await send(gateway, { body: { ...body, input: [ask] } });
        const asked = outputOf(first);
        const request = asked.at(-1);
        assert.equal(request?.type, "mcp_approval_request");
        assert.equal(request.name, "echo");
        assert.equal(request.server_label, "docs");
        assert.deepEqual(JSON.parse(String(request.arguments)), { text: "hello" });
        assert.equal(callsOf(server.methods()), 0, "nothing runs without the approval");
        assert.equal(taken(wire).length, 1, "the turn has ended");

        plan(() => [says("Done.")]);
        const input = [ask, ...asked, answerTo(request, { approve: true })];
        const second = await send(gateway, { body: { ...body, input } });
        const [call, message] = outputOf(second)
          .filter(({ type }) => type !== "reasoning");
        assert.equal(call?.type, "mcp_call");
        assert.equal(call.approval_request_id, request.id);
        assert.equal(call.output, "echo: hello");
        assert.equal(message?.type, "message");
        assert.equal(callsOf(server.methods()), 1);
        assert.equal(server.methods().filter((method) => method === "tools/list").length, 1, "listed once");
        assert.ok(JSON.stringify(taken(wire)[0]).includes("echo: hello"), "the model knows the result");
        if (stream) {
          const types = eventsOf(second).map(({ type }) => String(type));
          assert.ok(
            types.indexOf("response.mcp_call.completed") < types.indexOf("response.output_text.delta"),
          );
        }

        plan(() => [says("Again.")]);
        const third = [...input, ...outputOf(second), ask];
        await send(gateway, { body: { ...body, input: third } });
        assert.equal(callsOf(server.methods()), 1, "what has run does not run again");
        assert.ok(JSON.stringify(taken(wire)[0]).includes("echo: hello"));
      });
    });
  }

  Deno.test(`a refused call is not run and the model is told why (${wire})`, async () => {
    await withMcp({}, async ({ gateway, plan, taken, server }) => {
      const body = { model: `mock/${wire}`, tools: [mcpTool(server, { require_approval: null })] };
      plan(() => [calls("echo", { args: { text: "hello" } })]);
      const asked = itemsOf(wholeOf(await send(gateway, { body: { ...body, input: [ask] } })));
      plan(() => [says("Done.")]);
      const input = [ask, ...asked, answerTo(asked.at(-1), { approve: false, reason: "Not on a Friday." })];
      const output = itemsOf(wholeOf(await send(gateway, { body: { ...body, input } })));
      assert.ok(!output.some(({ type }) => type === "mcp_call"));
      assert.equal(callsOf(server.methods()), 0);
      assert.ok(JSON.stringify(taken(wire)[0]).includes("Not on a Friday."));
    });
  });
}

Deno.test("an approved call whose server, name or arguments were changed is 422", async () => {
  await withMcp({}, async ({ gateway, plan, server }) => {
    const body = { model: "mock/chat", tools: [mcpTool(server, { require_approval: "always" })] };
    plan(() => [calls("echo", { args: { text: "hello" } })]);
    const asked = itemsOf(wholeOf(await send(gateway, { body: { ...body, input: [ask] } })));
    const request = asked.at(-1) ?? {};
    for (const change of [{ arguments: '{"text":"other"}' }, { name: "add" }]) {
      const input = [ask, { ...request, ...change }, answerTo(request, { approve: true })];
      const { status, text } = await send(gateway, { body: { ...body, input } });
      assert.equal(status, 422, text);
      assert.match(text, /input\[1\]/);
    }
    assert.equal(callsOf(server.methods()), 0);
  });
});

Deno.test("require_approval names the tools that need one, and those that need none", async () => {
  const cases: readonly (readonly [unknown, Readonly<Record<"add" | "echo", boolean>>])[] = [
    ["always", { add: true, echo: true }],
    ["never", { add: false, echo: false }],
    [null, { add: true, echo: true }],
    [{ never: { tool_names: ["add"] } }, { add: false, echo: true }],
    [{ always: { tool_names: ["add"] } }, { add: true, echo: false }],
    [{ always: { tool_names: ["add"] }, never: { tool_names: ["add", "echo"] } }, { add: true, echo: false }],
    [{ never: { read_only: true } }, { add: false, echo: true }],
    [{ never: { read_only: true, tool_names: ["echo"] } }, { add: true, echo: true }],
    [{ always: { read_only: false } }, { add: false, echo: true }],
    [{ never: {} }, { add: true, echo: true }],
    [{}, { add: true, echo: true }],
  ];
  await withMcp({}, async ({ gateway, plan, server }) => {
    for (const [require_approval, expected] of cases) {
      for (const name of ["add", "echo"] as const) {
        const args = { a: 1, b: 2, text: "x" };
        plan((turn) => turn === 0 ? [calls(name, { args })] : [says("Done.")]);
        const tools = [mcpTool(server, { require_approval })];
        const output = itemsOf(
          wholeOf(await send(gateway, { body: { model: "mock/chat", input: [ask], tools } })),
        );
        const asks = output.some(({ type }) => type === "mcp_approval_request");
        assert.equal(asks, expected[name], `${JSON.stringify(require_approval)}: ${name}`);
      }
    }
  });
});

Deno.test("what was approved long ago, or never answered, does not run", async () => {
  await withMcp({}, async ({ gateway, plan, server }) => {
    const body = { model: "mock/chat", tools: [mcpTool(server, { require_approval: "always" })] };
    plan(() => [calls("echo", { args: { text: "hello" } })]);
    const asked = itemsOf(wholeOf(await send(gateway, { body: { ...body, input: [ask] } })));
    plan(() => [says("Done.")]);
    const later = [{ role: "assistant", content: "I have waited." }, ask];
    for (
      const input of [[ask, ...asked, answerTo(asked.at(-1), { approve: true }), ...later], [
        ask,
        ...asked,
        ask,
      ]]
    ) {
      wholeOf(await send(gateway, { body: { ...body, input } }));
    }
    assert.equal(callsOf(server.methods()), 0);
  });
});

/** Settings of the next request for the server that asked, and the calls that run then. */
const laterServers:
  readonly (readonly [name: string, settings: Json, listing: Json | undefined, ran: number])[] = [
    ["the same", {}, undefined, 1],
    ["the tool is not allowed any more", { allowed_tools: ["add"] }, undefined, 0],
    ["the server cannot be listed", { server_url: "http://127.0.0.1:1/mcp" }, undefined, 0],
    ["the listing that comes back lacks the tool", {}, { tools: [{ name: "add", input_schema: {} }] }, 0],
  ];

for (const [name, settings, listing, ran] of laterServers) {
  Deno.test(`an approved call is run, or the model is told that it was not: ${name}`, async () => {
    await withMcp({}, async ({ gateway, plan, taken, server }) => {
      const body = { model: "mock/chat", tools: [mcpTool(server, { require_approval: "always" })] };
      plan(() => [calls("echo", { args: { text: "hello" } })]);
      const asked = itemsOf(wholeOf(await send(gateway, { body: { ...body, input: [ask] } }))).at(-1) ?? {};
      plan(() => [says("Done.")]);
      const listed = listing === undefined
        ? []
        : [{ type: "mcp_list_tools", id: "l", server_label: "docs", ...listing }];
      const input = [ask, ...listed, asked, answerTo(asked, { approve: true })];
      const tools = [mcpTool(server, { require_approval: "always", ...settings })];
      wholeOf(await send(gateway, { body: { ...body, tools, input } }));
      assert.equal(callsOf(server.methods()), ran);
      const told = JSON.stringify(taken("chat")[0]);
      assert.match(told, ran === 0 ? /was not run: its server does not offer the tool/ : /echo: hello/);
    });
  });
}

Deno.test("an approval that is to nothing in the request is 400, and an old one does no harm", async () => {
  await withMcp({}, async ({ gateway, plan, server, other }) => {
    const body = { model: "mock/chat", tools: [mcpTool(server, { require_approval: "always" })] };
    plan(() => [calls("echo", { args: { text: "hello" } })]);
    const asked = itemsOf(wholeOf(await send(gateway, { body: { ...body, input: [ask] } }))).at(-1) ?? {};
    plan(() => [says("Done.")]);
    const elsewhere = [mcpTool(other, { server_label: "wiki" })];
    const later = [{ role: "assistant", content: "I have waited." }, ask];
    const rows: readonly (readonly [input: readonly Json[], tools: readonly Json[], path?: RegExp])[] = [
      [
        [ask, answerTo(asked, { approve: true })],
        body.tools,
        /^input\[1\]\.approval_request_id is the id of no/,
      ],
      [[ask, answerTo({ id: "mcpr_x" }, { approve: false })], body.tools, /^input\[1\].* is the id of no/],
      [
        [ask, asked, answerTo({ id: "mcpr_x" }, { approve: true })],
        body.tools,
        /^input\[2\].* is the id of no/,
      ],
      [
        [ask, asked, answerTo(asked, { approve: true })],
        elsewhere,
        /^input\[2\].* is of a server that tools/,
      ],
      [[ask, answerTo(asked, { approve: true }), ...later], body.tools],
      [[ask, asked, answerTo(asked, { approve: true }), ...later], elsewhere],
    ];
    for (const [input, tools, path] of rows) {
      for (const stream of [false, true]) {
        const { status, text } = await send(gateway, { body: { ...body, tools, input, stream } });
        assert.equal(status, path === undefined ? 200 : 400, text);
        if (path !== undefined) {
          assert.match(String(asObject(asObject(JSON.parse(text)).error).message), path);
        }
      }
    }
    assert.equal(callsOf(server.methods()), 0);
  });
});
