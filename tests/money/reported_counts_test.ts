/** Counts that a provider reports, of whatever API: whole numbers, none below zero, none beyond what the request can have. */

import assert from "node:assert/strict";
import { plausible } from "../../server/billing/pricing/clamp_counts.ts";
import { computeSpeechUsage } from "../../server/billing/pricing/speech_usage.ts";
import { parseUsage as parseBedrockUsage } from "../../server/protocols/bedrock/outbound/parse_usage.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { Usage } from "../../server/protocols/canonical/usage.ts";
import { parseUsage as parseChatUsage } from "../../server/protocols/chat/outbound/parse_usage.ts";
import { parseGeminiEmbeddings } from "../../server/protocols/embeddings/gemini.ts";
import { parseEmbeddings } from "../../server/protocols/embeddings/openai.ts";
import { parseUsage as parseGeminiUsage } from "../../server/protocols/gemini/outbound/parse_usage.ts";
import { addCounts, toUsage } from "../../server/protocols/messages/outbound/parse_usage.ts";
import { parseUsage as parseResponsesUsage } from "../../server/protocols/responses/outbound/parse_usage.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { modelRequest } from "../support/requests.ts";

const CONTEXT = 8_000;
const embedding = modelRequest({ embeddings: {} });
const speaking = modelRequest({
  speech: { voice: "a", customVoice: false, format: "mp3", events: false, options: {} },
});
const talking = modelRequest();

interface Api {
  readonly request: ModelRequest;
  /** Most tokens of input that the request can have. */
  readonly most: number;
  /** The usage with this count of input. */
  readonly read: (count: unknown) => Usage | undefined;
  /** Count in the place of one that is nonsense; absent: billing counts. */
  readonly counted?: number;
  /** The same of one that was not reported. */
  readonly unreported?: number;
}

const usageOf = (events: ReturnType<typeof parseGeminiEmbeddings>): Usage | undefined => {
  const last = events.at(-1);
  assert.equal(last?.type, "finish", JSON.stringify(events));
  return last?.type === "finish" ? last.usage : undefined;
};

const toNumber = (count: unknown): number => count as number;

const apis: Readonly<Record<string, Api>> = {
  chat: {
    request: talking,
    most: CONTEXT,
    read: (count) => parseChatUsage({ prompt_tokens: count, completion_tokens: 2 }),
  },
  responses: {
    request: talking,
    most: CONTEXT,
    read: (count) => parseResponsesUsage({ input_tokens: count, output_tokens: 2 }),
  },
  messages: {
    request: talking,
    most: CONTEXT,
    read: (count) =>
      toUsage(addCounts(undefined, { said: { input_tokens: count, output_tokens: 2 }, final: true })),
  },
  gemini: {
    request: talking,
    most: CONTEXT,
    read: (count) => parseGeminiUsage({ promptTokenCount: count, candidatesTokenCount: 2 }),
    // It leaves out what is zero, and billing does not believe that nothing went in.
    unreported: 0,
  },
  bedrock: {
    request: talking,
    most: CONTEXT,
    read: (count) => parseBedrockUsage({ inputTokens: toNumber(count), outputTokens: 2 }),
  },
  "embeddings of OpenAI": {
    request: embedding,
    // Four times the text, and what may stand around it.
    most: 4 * (256 + 16 + 2),
    read: (count) =>
      usageOf(
        parseEmbeddings("chat")({ data: [{ embedding: [1] }], usage: { prompt_tokens: count } }, embedding),
      ),
  },
  "embeddings of Google": {
    request: embedding,
    most: 4 * (256 + 16 + 2),
    read: (count) =>
      usageOf(
        parseGeminiEmbeddings(
          { embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: count } },
          embedding,
        ),
      ),
  },
  speech: {
    request: speaking,
    most: CONTEXT,
    read: (count) =>
      computeSpeechUsage({
        request: speaking,
        characters: 2,
        seconds: 1,
        bytes: 10,
        metered: { inputTokens: toNumber(count) },
        estimated: false,
      }),
    counted: 1,
  },
};

const endpoint = testEndpoint({ model: { contextLength: CONTEXT } });

for (const [name, { request, most, read, counted, unreported = counted }] of Object.entries(apis)) {
  Deno.test(`usage of ${name} is whole, and within what the request can have`, () => {
    const inputOf = (count: unknown) => {
      const usage = read(count);
      return usage && plausible(usage, { request, endpoint, body: {} }).inputTokens;
    };
    assert.deepEqual([inputOf(7), inputOf(6.2), inputOf(1e18), inputOf(99_999)], [7, 7, most, most]);
    assert.deepEqual([inputOf(-3), inputOf(NaN), inputOf(undefined)], [counted, unreported, unreported]);
  });
}

Deno.test("usage of embeddings is read field by field: what is nonsense spoils no vectors", () => {
  const read = (usage: unknown) =>
    usageOf(parseEmbeddings("chat")({ data: [{ embedding: [1] }], usage }, embedding));
  for (const none of [null, 7, "7", [], { prompt_tokens: null }, { prompt_tokens: "7" }]) {
    assert.equal(read(none), undefined, JSON.stringify(none));
  }
  const usage = read({ prompt_tokens: -1, total_tokens: 9, completion_tokens: 1e9, cost: 0.00004 });
  assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.reportedCost], [9, 0, 40_000]);
  assert.equal(read({ prompt_tokens: 1, cost: -1 })?.reportedCost, undefined);
});

Deno.test("usage of embeddings may be the context's of each text together", () => {
  const texts = Array.from({ length: 3 }, () => "x".repeat(7_000));
  const request = modelRequest({
    embeddings: {},
    input: texts.map((text) => ({ type: "message", role: "user", parts: [{ type: "text", text }] })),
  });
  const usage = computeSpeechUsage({
    request: speaking,
    characters: 0,
    seconds: 0,
    bytes: 0,
    metered: { inputTokens: 20_000 },
    estimated: false,
  });
  const inputOf = (inputTokens: number) =>
    plausible({ ...usage, inputTokens }, { request, endpoint, body: {} }).inputTokens;
  assert.deepEqual([inputOf(20_000), inputOf(30_000)], [20_000, 3 * CONTEXT]);
});
