/** The official clients under a rate limit: their own error class, its headers, and their own way of waiting. */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import { TooManyRequestsResponseError } from "@openrouter/sdk/models/errors";
import OpenAI from "openai";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { type Gateway, mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import { anthropicOf } from "./anthropic.ts";

const model = "mock/model";

type LimitTest = (gateway: Gateway, clock: FakeClock) => Promise<void>;

async function withLimit(requests: number, test: LimitTest): Promise<void> {
  const upstream = startResponsesMock({ apiKey: PROVIDER_KEY });
  const clock = fakeClock();
  try {
    const models = [{ ...mockModel, upstream_id: "mock-model" }];
    await using gateway = await startGateway({
      clock,
      providers: [providerAt(upstream.url, { wire: "responses", models })],
    });
    const { url, apiKey, managementKey } = gateway;
    const answer = await fetch(`${url}/v1/keys/${hashKey(apiKey)}/rate-limits`, {
      method: "PUT",
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      body: JSON.stringify({ requests_per_minute: requests }),
    });
    assert.equal(answer.status, 200, await answer.text());
    await test(gateway, clock);
  } finally {
    await upstream.close();
  }
}

const openaiOf = ({ url, apiKey }: Gateway, maxRetries = 0) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries });

async function thrownBy(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("It was not refused");
}

Deno.test("openai sees a RateLimitError with the headers, on Responses and Chat, streamed and whole", async () => {
  await withLimit(1, async (gateway) => {
    const openai = openaiOf(gateway);
    const { response } = await openai.responses.create({ model, input: "Hi" }).withResponse();
    assert.equal(response.headers.get("x-ratelimit-remaining"), "0");
    const messages = [{ role: "user" as const, content: "Hi" }];
    const calls = [
      () => openai.responses.create({ model, input: "Hi" }),
      () => openai.responses.create({ model, input: "Hi", stream: true }),
      () => openai.chat.completions.create({ model, messages }),
      () => openai.chat.completions.create({ model, messages, stream: true }),
    ];
    for (const call of calls) {
      const error = await thrownBy(call);
      assert(error instanceof OpenAI.RateLimitError);
      assert.equal(error.headers.get("retry-after"), "60");
      assert.equal(error.headers.get("x-ratelimit-limit"), "1");
      assert.match(error.message, /the key may start 1 request in any 60 s/);
    }
  });
});

/** Minutes that a client waits pass on the gateway's clock instead. Tells them, in ms. */
async function withoutWaiting(clock: FakeClock, run: () => Promise<void>): Promise<readonly number[]> {
  const waits: number[] = [];
  const own = Object.getOwnPropertyDescriptor(globalThis, "setTimeout");
  const real = globalThis.setTimeout;
  const value = (then: () => void, ms = 0) => {
    if (ms < 30_000 || ms > 60_000) return real(then, ms);
    waits.push(ms);
    clock.leap(ms + 100);
    return real(then, 0);
  };
  Object.defineProperty(globalThis, "setTimeout", { value, configurable: true, writable: true });
  try {
    await run();
  } finally {
    Object.defineProperty(globalThis, "setTimeout", own ?? { value: real });
  }
  return waits;
}

Deno.test("openai's own retry waits as long as Retry-After says, and then passes", async () => {
  await withLimit(1, async (gateway, clock) => {
    const openai = openaiOf(gateway, 1);
    const waits = await withoutWaiting(clock, async () => {
      await openai.responses.create({ model, input: "Hi" });
      await openai.responses.create({ model, input: "Hi" });
    });
    assert.deepEqual(waits, [60_000]);
  });
});

Deno.test("anthropic sees a RateLimitError with the headers, streamed and whole", async () => {
  await withLimit(1, async (gateway) => {
    const anthropic = anthropicOf({ gateway });
    const body = { model, max_tokens: 16, messages: [{ role: "user" as const, content: "Hi" }] };
    await anthropic.messages.create(body);
    for (const stream of [false, true]) {
      const error = await thrownBy(() => anthropic.messages.create({ ...body, stream }));
      assert(error instanceof Anthropic.RateLimitError);
      assert.equal(error.headers?.get("retry-after"), "60");
      assert.equal(error.headers?.get("ratelimit-remaining"), "0");
      assert.equal(error.type, "rate_limit_error");
    }
  });
});

Deno.test("openrouter sees a TooManyRequestsResponseError with the headers", async () => {
  await withLimit(1, async (gateway) => {
    const { url, apiKey } = gateway;
    const openrouter = new OpenRouter({
      serverURL: `${url}/api/v1`,
      apiKey,
      retryConfig: { strategy: "none" },
    });
    const send = () => openrouter.responses.send({ responsesRequest: { model, input: "Hi" } });
    await send();
    const error = await thrownBy(send);
    assert(error instanceof TooManyRequestsResponseError);
    assert.equal(error.statusCode, 429);
    assert.equal(error.headers.get("x-ratelimit-limit"), "1");
    assert.equal(error.headers.get("retry-after"), "60");
  });
});
