/** A model is one in the books, by whichever of its names it was called. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { scripted } from "../support/scripted.ts";
import { apiNames, call, receiptOf } from "./rig.ts";

const usage = { input_tokens: 1_000, output_tokens: 1_000 };
const answer = (model: unknown) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
});

/** A name, and what the provider is asked for. */
const names: readonly (readonly [name: string, upstream: string])[] = [
  ["anthropic/claude-opus-4.8", "claude-opus-4-8"],
  ["anthropic/claude-opus-4-8", "claude-opus-4-8"],
  ["anthropic/Claude-Opus-4.8", "claude-opus-4-8"],
  ["anthropic/claude-opus-4-8[1m]", "claude-opus-4-8"],
  ["claude-opus-4-8", "claude-opus-4-8"],
  ["anthropic/claude-opus-4-8-20260115", "claude-opus-4-8-20260115"],
];

Deno.test("a model is one in receipts, sums and filters, and costs the same, by each of its names", async () => {
  const asked: string[] = [];
  await using upstream = scripted(({ body }) => {
    asked.push(String(body.model));
    return Response.json(answer(body.model));
  });
  await using gateway = await startGateway({
    env: { ANTHROPIC_API_KEY: "sk-ant-test-key", ANTHROPIC_BASE_URL: upstream.baseUrl },
  });
  // Under a limit a model without a price is refused.
  const { key } = await createKey(gateway, { limit: 100 });
  for (const [name, model] of names) {
    for (const api of apiNames) {
      const response = await call(gateway, { key, api, model: name });
      assert.equal(response.status, 200, `${api} ${name}: ${await response.text()}`);
      const receipt = await receiptOf(gateway, response);
      assert.equal(receipt.model, "anthropic/claude-opus-4.8", `${api} ${name}`);
      assert.equal(receipt.requested_model, name);
      assert.equal(receipt.cost, 1_000 * 5_000 + 1_000 * 25_000, `${api} ${name}`);
      assert.equal(asked.at(-1), model, `${api} ${name}`);
    }
  }
  const count = names.length * apiNames.length;
  const sums = await managed(gateway, {
    call: "POST /analytics/query",
    body: { metrics: ["request_count"], dimensions: ["model"] },
  });
  assert.deepEqual(asObject(sums.body.data).data, [
    { model: "anthropic/claude-opus-4.8", request_count: count },
  ]);
  for (const [name] of names) {
    const listed = await managed(gateway, {
      call: `GET /receipts?limit=100&model=${encodeURIComponent(name)}`,
    });
    assert.equal(Array.isArray(listed.body.data) && listed.body.data.length, count, name);
  }
});
