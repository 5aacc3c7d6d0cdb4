import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { inputLimits, outputTokens } from "./context_limits.ts";

const context = 8_000;
const chat = testEndpoint({
  provider: { wire: "chat" },
  model: { contextLength: context, tokenizer: "GPT" },
});

Deno.test("outputTokens leaves to the answer what is asked for, unless that would be all", () => {
  const of = (maxOutputTokens?: number) => outputTokens({ maxOutputTokens }, chat);
  assert.equal(of(500), 500);
  assert.equal(of(7_000), 7_000);
  assert.equal(of(7_001), 2_000, "the provider lowers it");
  assert.equal(of(100_000), 2_000);
  assert.equal(of(), 2_000, "a quarter");
  const limited = { ...chat, maxOutputTokens: 1_000 };
  assert.equal(outputTokens({ maxOutputTokens: 5_000 }, limited), 1_000, "no answer is longer");
  assert.equal(outputTokens({}, limited), 1_000);
  const large = testEndpoint({ provider: { wire: "chat" }, model: { contextLength: 128_000 } });
  assert.equal(outputTokens({}, large), 4_096);
  const messages = testEndpoint({
    provider: { wire: "messages" },
    model: { contextLength: 200_000 },
    endpoint: { maxOutputTokens: 64_000 },
  });
  assert.equal(outputTokens({}, messages), 64_000, "this wire demands a cap");
});

Deno.test("inputLimits leaves a little of the context to the template, and more to another tokenizer", () => {
  const request = modelRequest({ maxOutputTokens: 1_000 });
  assert.deepEqual(inputLimits(request, chat), { tokens: 6_750, messages: Infinity });
  const other = { ...chat, model: { ...chat.model, tokenizer: "Llama3" } };
  assert.equal(inputLimits(request, other).tokens, 6_500);
  const unknown = { ...chat, model: { ...chat.model, contextLength: null } };
  assert.deepEqual(inputLimits(request, unknown), { tokens: Infinity, messages: Infinity });
});

Deno.test("inputLimits knows how many messages Anthropic takes, wherever its models are served", () => {
  const request = modelRequest();
  const at = (wire: "messages" | "bedrock" | "chat", upstreamModel: string) =>
    inputLimits(request, testEndpoint({ provider: { wire }, endpoint: { upstreamModel } })).messages;
  assert.equal(at("messages", "x"), 1_000);
  assert.equal(at("bedrock", "anthropic.claude-haiku-4-5"), 1_000);
  assert.equal(at("chat", "claude-sonnet-4-5"), 1_000);
  assert.equal(at("bedrock", "amazon.nova"), Infinity);
});
