/** Images with a price per chunk, and usage that cannot be true, on every wire. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { messageItem, responseObject, scripted } from "../support/scripted.ts";
import { call, price, receiptOf } from "./rig.ts";

const png = "iVBORw0KGgo=";

interface Answered {
  readonly input: number;
  readonly output: number;
}

/** A whole answer of one word on each wire, with these counts. */
const answers: Readonly<Record<string, (usage: Answered) => Json>> = {
  responses: ({ input, output }) =>
    responseObject({
      output: [messageItem("Yes")],
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    }),
  chat: ({ input, output }) => ({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Yes" }, finish_reason: "stop" }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }),
  messages: ({ input, output }) => ({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Yes" }],
    stop_reason: "end_turn",
    usage: { input_tokens: input, output_tokens: output },
  }),
  gemini: ({ input, output }) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Yes" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  }),
  bedrock: ({ input, output }) => ({
    output: { message: { role: "assistant", content: [{ text: "Yes" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
  }),
};

async function receiptFor(wire: string, usage: Answered) {
  await using upstream = scripted(() => Response.json(answers[wire]?.(usage)));
  const model = {
    id: "mock/model",
    upstream_id: "m",
    context_length: 100_000,
    max_output_tokens: 20_000,
    input_modalities: ["text", "image"],
    pricing: { ...price, image: "0.001" },
  };
  const provider = providerAt(upstream.baseUrl, { wire, models: [model] });
  await using gateway = await startGateway({ providers: [provider] });
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  const image = { type: "input_image", image_url: `data:image/png;base64,${png}` };
  const input = [{ role: "user", content: [image, image, { type: "input_text", text: "Hi" }] }];
  const response = await call(gateway, { key, cap: 1_000, more: { input } });
  const body = await response.text();
  assert.equal(response.status, 200, body);
  return await receiptOf(gateway, response);
}

for (const wire of Object.keys(answers)) {
  Deno.test(`images with a price per piece are charged (${wire})`, async () => {
    const receipt = await receiptFor(wire, { input: 500, output: 20 });
    assert.equal(receipt.usage.input_images, 2);
    assert.equal(receipt.cost, 500 * 1_000 + 20 * 2_000 + 2 * 1_000_000);
    assert.equal(receipt.estimated, false);
  });

  Deno.test(`counts that no model can have are clamped, and stay within the reservation (${wire})`, async () => {
    const receipt = await receiptFor(wire, { input: 90_000_000, output: 90_000_000 });
    assert.deepEqual([receipt.usage.input_tokens, receipt.usage.output_tokens], [100_000, 20_000]);
    assert.equal(receipt.estimated, true);
    assert(receipt.cost <= receipt.reserved, `${receipt.cost} of ${receipt.reserved}`);
  });

  Deno.test(`counts of zero for an answer with text are not believed (${wire})`, async () => {
    const receipt = await receiptFor(wire, { input: 0, output: 0 });
    assert.equal(receipt.estimated, true);
    assert((receipt.usage.input_tokens ?? 0) > 0 && receipt.usage.output_tokens === 1);
    assert(receipt.cost > 2 * 1_000_000);
  });
}
