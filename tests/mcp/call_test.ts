/** Tools of MCP servers on every upstream wire: listed, offered, called, shown, and kept for the next request. */

import assert from "node:assert/strict";
import {
  calls,
  eventsOf,
  itemsOf,
  resultOf,
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
        const result = stream ? resultOf(sent) : wholeOf(sent);
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
