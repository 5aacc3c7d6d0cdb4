/** Public servers across APIs and wires: the provider calls them where it speaks the words in which they are named. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { type Api, eventsOf, says, send, upstreamWires, wholeOf, withTools } from "../server_tools/rig.ts";
import { mcpTool } from "./rig.ts";

const TOKEN = "planted-token-71c0a4e2";
/** A host that no resolver knows. */
const url = "https://mcp.invalid/mcp";
const ask = { role: "user", content: "Do it." };

const toolOf = (api: Api): Json =>
  api === "messages"
    ? { type: "mcp_toolset", mcp_server_name: "docs" }
    : mcpTool({ url }, { authorization: TOKEN });

const bodyOf = (api: Api): Json =>
  api === "responses" ? { input: [ask] } : {
    messages: [ask],
    max_tokens: 100,
    ...(api === "messages"
      ? { mcp_servers: [{ type: "url", name: "docs", url, authorization_token: TOKEN }] }
      : {}),
  };

for (const api of ["responses", "chat", "messages"] as const) {
  for (const wire of upstreamWires) {
    // A chat names servers in the words of the Responses API.
    const isNative = wire === (api === "messages" ? "messages" : "responses");
    Deno.test(`a public server named on ${api} is called by ${isNative ? "the provider" : "the gateway"} on the wire ${wire}`, async () => {
      await withTools({}, async ({ gateway, plan, taken }) => {
        for (const stream of [false, true]) {
          plan(() => [says("Done.")]);
          const tools = [toolOf(api)];
          const body = { ...bodyOf(api), model: `mock/${wire}`, tools, stream };
          const sent = await send(gateway, { api, body });
          if (stream) assert.ok(eventsOf(sent).length > 0);
          else wholeOf(sent);
          assert.ok(!sent.text.includes(TOKEN), "the client sees no token");
          const [request = {}] = taken(wire);
          const text = JSON.stringify(request);
          assert.equal(
            text.includes(TOKEN),
            isNative,
            "a provider sees the token where it is the one to call",
          );
          const notes = sent.headers.get("x-tollgate-notes") ?? "";
          assert.equal(/MCP server docs are left out/.test(notes), !isNative, notes);
          if (!isNative) continue;
          assert.ok(Array.isArray(request.tools));
          assert.equal(asObject(request.tools[0]).type, tools[0]?.type);
          assert.ok(text.includes(url));
        }
      });
    });
  }
}
