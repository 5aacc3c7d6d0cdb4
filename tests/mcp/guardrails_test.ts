/** Guardrails read what MCP servers bring: descriptions, errors and results, and the arguments of calls. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { calls, outputOf, says, send } from "../server_tools/rig.ts";
import { mcpTool, named, type Serve, serverOf, withMcp } from "./rig.ts";

const body = { model: "mock/chat", input: "Do it." };
const secret = "mark-7741";

const saying = (text: string, isError = false): Serve => {
  const good = serverOf([named("one", { description: `Knows ${text}.` })]);
  return (request, taken) => {
    const { body: { id, method } } = taken;
    if (method !== "tools/call") return good(request, taken);
    return Response.json({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", isError, content: [{ type: "text", text: `It is ${text}.` }] },
    });
  };
};

/** A key whose texts go through a filter. */
async function filteredKey(gateway: Parameters<typeof createKey>[0], action: string): Promise<string> {
  const { key, record } = await createKey(gateway);
  const content_filters = [{ pattern: "mark-\\d+", action, label: "MARK" }];
  const made = await managed(gateway, { call: "POST /guardrails", body: { name: "Marks", content_filters } });
  const { id } = asObject(made.body.data);
  await managed(gateway, {
    call: `POST /guardrails/${id}/assignments/keys`,
    body: { key_hashes: [record.hash] },
  });
  return key;
}

for (const isError of [false, true]) {
  for (const stream of [false, true]) {
    Deno.test(`marks of a server are redacted everywhere (${isError ? "error" : "result"}, ${stream ? "stream" : "whole"})`, async () => {
      await withMcp({ serve: saying(secret, isError) }, async ({ gateway, plan, taken, server }) => {
        const key = await filteredKey(gateway, "redact");
        plan((turn) => turn === 0 ? [calls("one", { args: { of: secret } })] : [says("Done.")]);
        const sent = await send(gateway, { body: { ...body, tools: [mcpTool(server)], stream }, key });
        const output = outputOf(sent);
        assert.ok(!sent.text.includes(secret), "the client sees none");
        assert.ok(JSON.stringify(output).includes("[MARK]"));
        assert.ok(!JSON.stringify(taken("chat")).includes(secret), "and the model neither");
        const called = server.taken.find(({ body: { method } }) => method === "tools/call");
        assert.ok(!JSON.stringify(called?.body).includes(secret), "nor the server");
      });
    });
  }
}

Deno.test("a description that is blocked ends the request before any model is called", async () => {
  await withMcp({ serve: saying(secret) }, async ({ gateway, plan, taken, server }) => {
    const key = await filteredKey(gateway, "block");
    plan(() => [says("Done.")]);
    const { status, text } = await send(gateway, { body: { ...body, tools: [mcpTool(server)] }, key });
    assert.ok(status >= 400 && status < 500, text);
    assert.equal(taken("chat").length, 0);
  });
});

Deno.test("a result that is blocked fails the response", async () => {
  const plainServer: Serve = (request, taken) =>
    taken.body.method === "tools/call"
      ? saying(secret)(request, taken)
      : serverOf([named("one")])(request, taken);
  await withMcp({ serve: plainServer }, async ({ gateway, plan, taken, server }) => {
    const key = await filteredKey(gateway, "block");
    plan((turn) => turn === 0 ? [calls("one")] : [says("Done.")]);
    const sent = await send(gateway, { body: { ...body, tools: [mcpTool(server)] }, key });
    const shown: Json = asObject(JSON.parse(sent.text));
    assert.ok(sent.status >= 400 || shown.status === "failed", sent.text);
    assert.ok(!sent.text.includes(secret));
    assert.equal(taken("chat").length, 1, "the model does not hear of it");
  });
});
