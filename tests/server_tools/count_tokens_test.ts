/** `POST /messages/count_tokens` counts server tools as the model is offered them. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { upstreamWires, withTools } from "./rig.ts";

const own: readonly Json[] = [
  { type: "openrouter:advisor" },
  { type: "openrouter:subagent" },
  { type: "openrouter:files" },
  { type: "tool_search_tool_bm25", name: "tool_search_tool_bm25" },
];

Deno.test("the count of a request grows by its server tools, and is the provider's where it counts", async () => {
  await withTools({}, async ({ gateway, mock }) => {
    const count = async (model: string, tools: readonly Json[]) => {
      const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }], tools }),
      });
      const body = asObject(await response.json());
      assert.equal(response.status, 200, JSON.stringify(body));
      return Number(body.input_tokens);
    };
    for (const wire of upstreamWires.filter((one) => one !== "messages")) {
      const without = await count(`mock/${wire}`, []);
      for (const tool of own) {
        assert.ok(await count(`mock/${wire}`, [tool]) > without + 20, `${wire} ${String(tool.type)}`);
      }
    }
    await count("mock/messages", own);
    const sent = asList(mock("messages").requests.at(-1)?.body.tools).map(asObject);
    assert.deepEqual(sent.map(({ name }) => name), ["advisor", "subagent", "files", "tool_search_tool_bm25"]);
    assert.ok(String(sent[0]?.description).startsWith("Asks an advisor"));
  });
});
