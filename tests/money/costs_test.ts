import assert from "node:assert/strict";
import { formatUnitPrice, parseUnitPrice } from "../../shared/money.ts";
import { asObject } from "../support/event_stream.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { endFrames, openingFrames, says, scripted, sse, textFrames } from "../support/scripted.ts";
import { apiNames, call, framesOf, pricedAt, receiptOf, spentBy, usageIn } from "./rig.ts";

// "one two three": 7 tokens of input at 1, and 3 of output at 2 millionths of a USD.
const COST = 0.000013;
const sideNames = {
  responses: ["upstream_inference_input_cost", "upstream_inference_output_cost"],
  messages: ["upstream_inference_input_cost", "upstream_inference_output_cost"],
  chat: ["upstream_inference_prompt_cost", "upstream_inference_completions_cost"],
} as const;

for (const api of apiNames) {
  for (const stream of [false, true]) {
    const form = stream ? "streamed" : "whole";
    Deno.test(`a ${form} answer tells its cost, which is that of its receipt (${api})`, async () => {
      await using upstream = scripted(says("chat", "one two three"));
      await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
      const response = await call(gateway, { api, stream, key: gateway.apiKey });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const usage = usageIn(stream ? framesOf(text) : [asObject(JSON.parse(text))]);
      const [input, output] = sideNames[api];
      assert.equal(usage.cost, COST);
      assert.equal(usage.is_byok, false);
      assert.deepEqual(usage.cost_details, {
        upstream_inference_cost: COST,
        [input]: 0.000007,
        [output]: 0.000006,
        server_tool_cost: 0,
      });
      assert.deepEqual(usage.server_tool_use_details, {
        tool_calls_requested: 0,
        tool_calls_executed: 0,
        web_search_requests: 0,
      });
      const receipt = await receiptOf(gateway, response);
      assert.equal(receipt.cost, 13_000);
      assert.equal(receipt.status, "completed");
      assert.equal(receipt.api, api);
      assert.equal(receipt.streamed, stream);
      assert.equal(await spentBy(gateway, gateway.apiKey), 13_000);
    });
  }
}

Deno.test("a receipt says line by line what was charged, by whose prices, and who asked", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const response = await call(gateway, {
    key: gateway.apiKey,
    more: { user: "u-1", session_id: "s-1", trace: { trace_id: "t-1" } },
    headers: { "http-referer": "https://app.example", "x-title": "App", "user-agent": "test/1" },
  });
  await response.text();
  const receipt = await receiptOf(gateway, response);
  const unit = (usd: string) => formatUnitPrice(parseUnitPrice(usd));
  assert.deepEqual(receipt.lines.filter(({ quantity }) => quantity > 0), [
    { rate: "prompt", quantity: 7, unit_price: unit("0.000001") },
    { rate: "completion", quantity: 3, unit_price: unit("0.000002") },
  ]);
  assert.deepEqual(
    [receipt.usage.input_tokens, receipt.usage.output_tokens, receipt.estimated, receipt.unpriced],
    [7, 3, false, false],
  );
  const [attempt] = receipt.attempts;
  assert.equal(receipt.attempts.length, 1);
  assert.deepEqual([attempt?.provider, attempt?.status, attempt?.is_byok, attempt?.why], [
    "Mock",
    200,
    false,
    "1 of 1 that may serve",
  ]);
  assert.deepEqual([receipt.user, receipt.session_id, receipt.trace], ["u-1", "s-1", { trace_id: "t-1" }]);
  assert.deepEqual([receipt.http_referer, receipt.app_title, receipt.user_agent], [
    "https://app.example",
    "App",
    "test/1",
  ]);
  assert.equal(receipt.upstream_id, "chatcmpl-1");
  assert.equal(receipt.finish_reason, "stop");
  assert.equal(receipt.input_cost + receipt.output_cost, receipt.cost);
  assert(receipt.latency_ms !== null && receipt.latency_ms <= receipt.total_ms);
});

Deno.test("an answer without counts is charged by the gateway's own, and says so", async () => {
  const usage = undefined;
  await using upstream = scripted(() =>
    sse([
      ...openingFrames("chat"),
      ...textFrames("chat", " one two").slice(1, 3),
      ...endFrames("chat", "", { usage }),
    ])
  );
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const response = await call(gateway, { key: gateway.apiKey, stream: true, text: "one" });
  const shownUsage = usageIn(framesOf(await response.text()));
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.estimated, true);
  // One token of input, two of output.
  assert.equal(receipt.cost, 5_000);
  assert.equal(shownUsage.cost, 0.000005);
});

Deno.test("a model without a price costs nothing where no limit stands, and is refused where one does", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  const models = [{ ...mockModel, id: "mock/unknown" }];
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const response = await call(gateway, { key: gateway.apiKey, model: "mock/unknown" });
  const usage = usageIn([asObject(await response.json())]);
  assert.equal(usage.cost, 0);
  assert.equal(asObject(usage.cost_details).upstream_inference_cost, null);
  const receipt = await receiptOf(gateway, response);
  assert.deepEqual([receipt.cost, receipt.unpriced, receipt.lines], [0, true, []]);
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  for (const api of apiNames) {
    const refused = await call(gateway, { api, key, model: "mock/unknown" });
    const body = asObject(await refused.json());
    assert.equal(refused.status, 404, JSON.stringify(body));
    assert.match(String(asObject(body.error).message), /No price is known for mock\/unknown/);
    assert.equal((await receiptOf(gateway, refused)).status, "refused");
  }
  assert.equal(upstream.requested.length, 1);
});
