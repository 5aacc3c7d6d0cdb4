import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import { imageSize } from "image-size";
import OpenAI from "openai";
import { type Gateway, startGateway } from "../support/gateway.ts";

const model = "local/image";
const tools = [{ type: "image_generation" as const, size: "128x64", partial_images: 2 }];

function test(name: string, run: (gateway: Gateway) => Promise<void>): void {
  Deno.test(name, async () => {
    await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
    await run(gateway);
  });
}

const openai = ({ url, apiKey }: Gateway) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

async function post({ url, apiKey }: Gateway, body: object): Promise<Response> {
  const path = "messages" in body ? "/chat/completions" : "/responses";
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return await fetch(`${url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

function sizeOf(base64: string) {
  const { width, height, type } = imageSize(Buffer.from(base64, "base64"));
  return `${type} ${width}x${height}`;
}

test("OpenAI's client gets a picture with its partial ones, whole and streamed", async (gateway) => {
  const client = openai(gateway);
  const body = { model, input: "a red kite", tools, tool_choice: { type: "image_generation" as const } };
  const stream = client.responses.stream(body);
  const steps: string[] = [];
  for await (const event of stream) {
    if (event.type === "response.image_generation_call.partial_image") sizeOf(event.partial_image_b64);
    if (event.type.includes("image_generation_call")) steps.push(event.type.split(".").at(-1) ?? "");
  }
  assert.deepEqual(steps, ["in_progress", "generating", "partial_image", "partial_image", "completed"]);
  const whole = await client.responses.create(body);
  for (const { output, usage } of [await stream.finalResponse(), whole]) {
    const [image, message] = output;
    assert.ok(image?.type === "image_generation_call" && message?.type === "message");
    assert.equal(sizeOf(image.result ?? ""), "png 128x64");
    assert.ok((usage?.output_tokens ?? 0) > 8);
  }
  const input = [...whole.output, { role: "user" as const, content: "in blue" }];
  const next = await client.responses.create({ ...body, input: input as OpenAI.Responses.ResponseInput });
  assert.equal(next.output[0]?.type, "image_generation_call", "it takes its own output back");
});

test("@openrouter/sdk knows every event of a picture", async ({ url, apiKey }) => {
  const client = new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });
  const tool = { type: "image_generation" as const, size: "128x64", partialImages: 2 };
  const responsesRequest = { model, input: "a kite", tools: [tool], stream: true as const };
  const stream = await client.beta.responses.send({ responsesRequest });
  assert.ok(!("output" in stream));
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.ok(types.includes("response.image_generation_call.partial_image"));
  assert.deepEqual(types.filter((type) => !type.startsWith("response.")), []);
});

test("modalities and image_config ask for a picture, on every door", async (gateway) => {
  const preference = { model, modalities: ["text", "image"], image_config: { size: "96x64" } };
  const responses = await (await post(gateway, { ...preference, input: "a kite" })).json();
  assert.equal(sizeOf(responses.output[0].result), "png 96x64");
  const messages = [{ role: "user", content: "a kite" }];
  const chat = await (await post(gateway, { ...preference, messages })).json();
  const url: string = chat.choices[0].message.images[0].image_url.url;
  assert.equal(url, `data:image/png;base64,${responses.output[0].result}`);
  const streamed = await (await post(gateway, { ...preference, messages, stream: true }))
    .text();
  assert.ok(streamed.includes(url));
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
  const config = { image_config: { size: "96x64" } };
  const body = {
    model,
    max_tokens: 2_000,
    messages: [{ role: "user" as const, content: "a kite" }],
    ...config,
  };
  const { content } = await anthropic.messages.create(body);
  const text = JSON.stringify(content);
  assert.ok(text.includes(responses.output[0].result), text.slice(0, 200));
});

test("a model that puts out text alone is no candidate for a picture", async (gateway) => {
  const body = { model: "local/echo", input: "a kite", modalities: ["text", "image"] };
  const response = await post(gateway, body);
  assert.equal(response.status, 404);
  assert.match(JSON.stringify(await response.json()), /image/);
  const other = { ...body, model: undefined, models: ["local/echo", model], image_config: { size: "64x64" } };
  const answer = await (await post(gateway, other)).json();
  assert.deepEqual([answer.model, answer.output[0].type], [model, "image_generation_call"]);
});

test("an absurd size is the caller's mistake", async (gateway) => {
  const client = openai(gateway);
  const body = { model, input: "x", tools: [{ type: "image_generation" as const, size: "9000x9000" }] };
  await assert.rejects(client.responses.create(body), (error) => {
    assert.ok(error instanceof OpenAI.APIError);
    assert.equal(error.status, 400);
    assert.match(error.message, /9000x9000 is out of bounds/);
    return true;
  });
});
