/** Tools of MCP servers on every upstream wire: listed, offered, called, shown, and kept for the next request. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import {
  calls,
  eventsOf,
  itemsOf,
  responseOf,
  says,
  send,
  upstreamWires,
  wholeOf,
} from "../server_tools/rig.ts";
import { mcpTool, withMcp } from "./rig.ts";

for (const wire of upstreamWires) {
  for (const stream of [false, true]) {
    Deno.test(`a tool of an MCP server is listed, offered and called (${wire}, ${stream ? "stream" : "whole"})`, async () => {
      await withMcp({}, async ({ gateway, plan, taken, server }) => {
        plan((turn) => turn === 0 ? [calls("echo", { args: { text: "hello" } })] : [says("Done.")]);
        const body = { model: `mock/${wire}`, input: "Do it.", tools: [mcpTool(server)], stream };
        const sent = await send(gateway, { body });
        const result = responseOf(sent);
        const output = itemsOf(result);
        assert.deepEqual(output.map(({ type }) => type).filter((type) => type !== "reasoning"), [
          "mcp_list_tools",
          "mcp_call",
          "message",
        ]);
        const [listing, call] = output.filter(({ type }) => String(type).startsWith("mcp_"));
        assert.equal(listing?.server_label, "docs");
        assert(Array.isArray(listing?.tools));
        assert.deepEqual(listing.tools.map(({ name }) => name), ["add", "echo", "fail"]);
        assert.equal(call?.server_label, "docs");
        assert.equal(call.name, "echo");
        assert.equal(call.output, "echo: hello");
        assert.equal(call.status, "completed");
        assert.equal(call.error, null);
        assert.deepEqual(JSON.parse(String(call.arguments)), { text: "hello" });
        const [first, second] = taken(wire).map((one) => JSON.stringify(one));
        assert.ok(first?.includes("Says the same again."), "the model is offered the tool");
        assert.ok(second?.includes("echo: hello"), "and told the result");
        if (!stream) return;
        const begun = eventsOf(sent).filter(({ type }) => type === "response.output_item.added")
          .map(({ item }) => asObject(item)).find(({ type }) => type === "mcp_call");
        assert.equal(begun?.arguments, "", "an item has all fields that clients add to");
        const types = eventsOf(sent).map(({ type }) => String(type)).filter((type) => type.includes("mcp_"));
        assert.deepEqual(types, [
          "response.mcp_list_tools.in_progress",
          "response.mcp_list_tools.completed",
          "response.mcp_call.in_progress",
          "response.mcp_call_arguments.delta",
          "response.mcp_call_arguments.done",
          "response.mcp_call.completed",
        ]);
      });
    });
  }
}

Deno.test("a public server goes to a provider of the Responses API as it came, and no other wire", async () => {
  await withMcp({}, async ({ gateway, plan, taken }) => {
    const url = "https://mcp.example.com/mcp";
    const tool = mcpTool({ url }, { authorization: "planted-token-4f9d2c71" });
    plan(() => [says("Done.")]);
    const body = { model: "mock/responses", input: "Do it.", tools: [tool], stream: true };
    const sent = await send(gateway, { body: { ...body, debug: { echo_upstream_body: true } } });
    assert.deepEqual(taken("responses")[0]?.tools, [tool]);
    assert.ok(sent.text.includes(url) && !sent.text.includes("planted-token"), "what is shown has no token");
  });
});

Deno.test("the gateway calls the servers where one of the models has a provider that cannot", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    plan((turn) => turn === 0 ? [calls("echo", { args: { text: "x" } })] : [says("Done.")]);
    const body = { models: ["mock/responses", "mock/chat"], input: "Do it.", tools: [mcpTool(server)] };
    const output = itemsOf(wholeOf(await send(gateway, { body })));
    assert.equal(output.find(({ type }) => type === "mcp_call")?.output, "echo: x");
    assert.ok(!JSON.stringify(taken("responses")).includes(server.url));
  });
});

Deno.test("Chat Completions has the calls in reasoning_details, brings them back, and has no approvals", async () => {
  await withMcp({}, async ({ gateway, plan, taken, server }) => {
    const ask = { role: "user", content: "Do it." };
    plan((turn) => turn === 0 ? [calls("echo", { args: { text: "hello" } })] : [says("Done.")]);
    const body = { model: "mock/chat", tools: [mcpTool(server)], messages: [ask] };
    const { choices } = wholeOf(await send(gateway, { api: "chat", body }));
    assert(Array.isArray(choices));
    const { message } = choices[0];
    assert.ok(JSON.stringify(message.reasoning_details).includes("echo: hello"));
    plan(() => [says("Again.")]);
    wholeOf(await send(gateway, { api: "chat", body: { ...body, messages: [ask, message, ask] } }));
    const told = JSON.stringify(taken("chat")[0]?.messages);
    assert.ok(told.includes("echo: hello") && told.includes('"name":"echo"'));
    const asking = [mcpTool(server, { require_approval: "always" })];
    const { status, text } = await send(gateway, { api: "chat", body: { ...body, tools: asking } });
    assert.equal(status, 400, text);
    assert.match(text, /require_approval/);
  });
});
