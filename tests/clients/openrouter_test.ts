import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import { tool } from "@openrouter/sdk/lib/tool.js";
import type { OpenResponsesResult, ResponsesRequest, StreamEvents } from "@openrouter/sdk/models";
import { OpenRouterError, UnauthorizedResponseError } from "@openrouter/sdk/models/errors";
import * as z from "zod";
import { isObject } from "../support/event_stream.ts";
import { PROVIDER_KEY } from "../support/gateway.ts";
import { forEach, mocked, type Rig, targets, withTarget } from "./targets.ts";

/** The library marks what it cannot read as unknown instead of failing; nothing of ours may be. */
function assertKnown(value: unknown, path = "answer"): void {
  if (Array.isArray(value)) return value.forEach((one, at) => assertKnown(one, `${path}[${at}]`));
  if (!isObject(value)) return;
  assert.notEqual(value.isUnknown, true, `${path} is unknown: ${JSON.stringify(value)}`);
  for (const [key, inner] of Object.entries(value)) assertKnown(inner, `${path}.${key}`);
}

type Preference = Omit<ResponsesRequest, "stream" | "model">;
type Client = Pick<Rig, "openrouter" | "model">;

async function send({ openrouter, model }: Client, preference: Preference): Promise<OpenResponsesResult> {
  const result = await openrouter.beta.responses.send({
    responsesRequest: { ...preference, model, stream: false },
  });
  assert("output" in result);
  assertKnown(result);
  return result;
}

async function stream({ openrouter, model }: Client, preference: Preference): Promise<StreamEvents[]> {
  const result = await openrouter.beta.responses.send({
    responsesRequest: { ...preference, model, stream: true },
  });
  assert(!("output" in result));
  const events: StreamEvents[] = [];
  for await (const event of result) events.push(event);
  assertKnown(events, "events");
  return events;
}

function lastOf(events: readonly StreamEvents[]): OpenResponsesResult {
  const last = events.at(-1);
  assert(last?.type === "response.completed" || last?.type === "response.incomplete");
  return last.response;
}

const textOf = ({ output }: OpenResponsesResult) =>
  output.flatMap((item) => item.type === "message" ? item.content : [])
    .map((part) => part.type === "output_text" ? part.text : "").join("");

forEach(targets, "@openrouter/sdk beta.responses.send answers with text", async (rig) => {
  const result = await send(rig, { input: "Hello Köln", instructions: "Be brief.", metadata: { a: "b" } });
  assert.equal(textOf(result), "You said: Hello Köln");
  assert.equal(result.status, "completed");
  assert.deepEqual(result.metadata, { a: "b" });
  assert((result.usage?.totalTokens ?? 0) > 0);
});

forEach(targets, "@openrouter/sdk beta.responses.send streams events that it knows", async (rig) => {
  const events = await stream(rig, { input: "Hello Köln" });
  const deltas = events.flatMap((event) => event.type === "response.output_text.delta" ? [event.delta] : []);
  assert.equal(deltas.join(""), "You said: Hello Köln");
  assert.equal(textOf(lastOf(events)), "You said: Hello Köln");
});

const weather = {
  type: "function",
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;

const preferences: Readonly<Record<string, Preference>> = {
  "a tool call": { input: "Use get_weather", tools: [weather], toolChoice: "required" },
  "reasoning": { input: "Think.", reasoning: { effort: "low", summary: "auto" } },
  "a refusal": { input: "Please refuse this." },
  "structured output": {
    input: "A city",
    text: { format: { type: "json_schema", name: "city", schema: weather.parameters } },
  },
  "a cut answer": { input: "one two three four five six seven", maxOutputTokens: 3 },
  "a custom tool call": {
    input: "Use run",
    tools: [{ type: "custom", name: "run" }],
    toolChoice: "required",
  },
};

for (const [what, preference] of Object.entries(preferences)) {
  forEach(targets, `@openrouter/sdk knows every part of ${what}`, async (rig) => {
    const whole = await send(rig, preference);
    const streamed = lastOf(await stream(rig, preference));
    assert.deepEqual(streamed.output.map(({ type }) => type), whole.output.map(({ type }) => type));
    assert.equal(streamed.status, whole.status);
  });
}

forEach(targets, "@openrouter/sdk gets complete routing metadata", async ({ openrouter, model }) => {
  for (const streaming of [false, true]) {
    const result = await openrouter.beta.responses.send({
      xOpenRouterMetadata: "enabled",
      responsesRequest: { model, input: "Hi", stream: streaming },
    });
    const events: StreamEvents[] = [];
    if (!("output" in result)) { for await (const event of result) events.push(event); }
    const answer = "output" in result ? result : lastOf(events);
    assertKnown(answer);
    const { openrouterMetadata: metadata } = answer;
    assert.equal(metadata?.requested, model);
    assert.equal(metadata?.attempt, 1);
    assert.equal(metadata?.strategy, "direct");
    assert.equal(metadata?.endpoints.total, 1);
    assert.deepEqual(metadata?.endpoints.available.map(({ selected }) => selected), [true]);
  }
});

forEach(targets, "@openrouter/sdk callModel runs a tool and gets its answer", async (rig) => {
  const requested: string[] = [];
  const city = tool({
    name: "get_weather",
    description: "Weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      requested.push(city);
      return { weather: "18 °C" };
    },
  });
  const result = rig.openrouter.callModel({
    model: rig.model,
    input: "Use get_weather for Rome",
    tools: [city],
    toolChoice: ({ numberOfTurns }) => numberOfTurns > 0 ? "auto" : "required",
  });
  assert.match(await result.getText(), /18 °C/);
  assert.equal(requested.length, 1);
});

forEach(targets, "@openrouter/sdk lists models", async ({ openrouter, model }) => {
  const { result } = await openrouter.models.list({});
  assertKnown(result);
  assert(result.data.some(({ id }) => id === model));
});

forEach(["echo"], "@openrouter/sdk reads its key's record", async ({ openrouter }) => {
  const { data } = await openrouter.apiKeys.getCurrentKeyMetadata();
  assert.equal(data.usage, 0);
  assert.equal(data.isManagementKey, false);
});

async function errorOf(openrouter: OpenRouter, request: ResponsesRequest): Promise<OpenRouterError> {
  const thrown: OpenRouterError[] = [];
  for (const streaming of [false, true]) {
    await assert.rejects(
      () => openrouter.beta.responses.send({ responsesRequest: { ...request, stream: streaming } }),
      (error: unknown) => error instanceof OpenRouterError && thrown.push(error) > 0,
    );
  }
  const [error, other] = thrown;
  assert(error !== undefined && other !== undefined);
  assert.equal(error.name, other.name);
  assert.equal(error.message, other.message);
  return error;
}

const wrong: Readonly<Record<string, ResponsesRequest>> = {
  BadRequestResponseError: { input: "Hi", temperature: 3 },
  NotFoundResponseError: { input: "Hi", model: "no/such" },
  UnprocessableEntityResponseError: { input: "Hi", toolChoice: { type: "function", name: "nobody" } },
};

for (const [name, request] of Object.entries(wrong)) {
  forEach(targets, `@openrouter/sdk throws a ${name}`, async ({ openrouter, model }) => {
    const error = await errorOf(openrouter, { model, ...request });
    assert.equal(error.name, name);
    assert.equal(JSON.parse(error.body).error.code, error.statusCode);
  });
}

Deno.test("@openrouter/sdk throws an UnauthorizedResponseError", () =>
  withTarget({ target: "echo" }, async ({ gateway, model }) => {
    const nobody = new OpenRouter({ serverURL: `${gateway.url}/v1`, apiKey: "wrong" });
    assert(await errorOf(nobody, { model, input: "Hi" }) instanceof UnauthorizedResponseError);
  }));

/** Statuses of the provider → the class that the library throws. */
const upstream: Readonly<Record<number, string>> = {
  400: "BadRequestResponseError",
  401: "BadGatewayResponseError",
  429: "TooManyRequestsResponseError",
  500: "BadGatewayResponseError",
  529: "ProviderOverloadedResponseError",
};

for (const target of mocked) {
  for (const [status, name] of Object.entries(upstream)) {
    Deno.test(`@openrouter/sdk throws a ${name} where the provider answers ${status}, on ${target}`, () =>
      withTarget({ target, upstream: `mock-${status}` }, async ({ openrouter, model }) => {
        await assert.rejects(
          () => openrouter.beta.responses.send({ responsesRequest: { model, input: "Hi" } }),
          (error: unknown) => {
            assert(error instanceof OpenRouterError);
            assert.equal(error.name, name);
            assert(!error.body.includes(PROVIDER_KEY));
            return true;
          },
        );
      }));
  }
}

for (const target of mocked) {
  Deno.test(`@openrouter/sdk sees a failure in mid-stream as events that it knows, on ${target}`, () =>
    withTarget({ target, upstream: "mock-error-after", mock: { gapMs: 5 } }, async (rig) => {
      const events = await stream(rig, { input: "Hello there, this is long enough to be cut" });
      assert.deepEqual(events.slice(-2).map(({ type }) => type), ["error", "response.failed"]);
    }));
}
