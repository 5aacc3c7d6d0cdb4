import assert from "node:assert/strict";
import { receiptWith } from "../../../tests/support/receipts.ts";
import { settingsOf } from "./from_receipt.ts";
import { messageItem, requestBody } from "./request_body.ts";
import { firstSettings } from "./settings.ts";

Deno.test("requestBody says what was set, and nothing else", () => {
  const input = [messageItem({ text: "Hi", attachments: [] })];
  assert.deepEqual(requestBody(firstSettings, { model: "a/b", input }), { model: "a/b", input });
  const settings = {
    ...firstSettings,
    fallbacks: ["a/b", "c/d"],
    only: " openai, ,azure ",
    order: "price",
    tools: ["datetime"],
    plugins: ["web"],
    effort: "low",
    maxTokens: "1,000",
    numbers: { temperature: "0", top_p: "" },
  } as const;
  assert.deepEqual(requestBody(settings, { model: "a/b", input }), {
    models: ["a/b", "c/d"],
    input,
    tools: [{ type: "service:datetime" }],
    plugins: [{ id: "web" }],
    provider: { sort: "price", only: ["openai", "azure"] },
    reasoning: { effort: "low", summary: "auto" },
    max_output_tokens: 1_000,
    temperature: 0,
  });
});

Deno.test("settingsOf takes over what a receipt has, and no more", () => {
  const receipt = {
    ...receiptWith({ requested_model: "a/b:nitro" }),
    route_input: {
      tokens: 10,
      max_tokens: 64,
      models: ["a/b:nitro", "c/d"],
      preferences: { sort: "latency", only: ["x", "y"], data_collection: "deny" },
    },
  };
  assert.deepEqual(settingsOf(receipt), {
    ...firstSettings,
    model: "a/b:nitro",
    fallbacks: ["c/d"],
    order: "latency",
    only: "x, y",
    noDataCollection: true,
    maxTokens: "64",
  });
});
