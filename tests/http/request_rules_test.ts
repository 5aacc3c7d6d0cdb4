/** Rules of requests that are easily broken by the half: which field is named, and what is neither lost nor ignored. */

import assert from "node:assert/strict";
import { includable } from "../../shared/responses/request.ts";
import { readError } from "../support/call.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { manage } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

const message = { role: "user", content: "Hi" };
const apis: Readonly<Record<string, Json>> = {
  "/responses": { input: "Hi" },
  "/chat/completions": { messages: [message] },
  "/messages": { messages: [message], max_tokens: 10 },
};

interface Posted {
  readonly path?: string;
  readonly body: unknown;
}

function post(gateway: Gateway, { path = "/responses", body }: Posted): Promise<Response> {
  return manage(gateway, { call: `POST ${path}`, body, token: gateway.apiKey });
}

/** Field that decided, as the error names it; the Messages API has another place for it. */
async function pathOf(response: Response): Promise<unknown> {
  const error = asObject(asObject(await response.json()).error);
  return asObject(error.metadata ?? error.details ?? {}).path;
}

Deno.test("error.metadata.path names the field that decided, in each API's own words", async () => {
  await using upstream = scripted(says("chat", "one"));
  const pricing = { prompt: "0.00001", completion: "0.00002" };
  const models = [
    { ...mockModel, pricing },
    { id: "mock/short", context_length: 100, input_modalities: ["text"] },
    { id: "mock/text", input_modalities: ["text"], output_modalities: ["text"] },
  ];
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const long = "word ".repeat(9_000);
  const received = (content: unknown) => ({
    input: [{ role: "user", content }],
    messages: [{ role: "user", content }],
  });
  const short = { model: "mock/short", plugins: [{ id: "context-compression", enabled: false }] };
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const rows: readonly (readonly [string, Json, string])[] = [
    ["*", { model: "no/body" }, "model"],
    ["*", { models: ["no/body", "nor/this"] }, "models"],
    ["*", { models: ["mock/model:free"] }, "models[0]"],
    ["*", { model: "mock/model:free" }, "model"],
    [
      "*",
      { model: "mock/model", provider: { max_price: { completion: "0.01" } } },
      "provider.max_price.completion",
    ],
    ["*", { model: "mock/model", provider: { only: ["nobody"] } }, "provider.only"],
    ["/responses", { ...short, input: long }, "input"],
    ["/chat/completions", { ...short, ...received(long) }, "messages"],
    ["/messages", { ...short, ...received(long) }, "messages"],
    ["/chat/completions", { model: "mock/text", ...received([image]) }, "messages"],
    ["/responses", { model: "mock/text", modalities: ["image"] }, "modalities"],
    ["/chat/completions", { model: "mock/text", modalities: ["image"] }, "modalities"],
  ];
  for (const [which, body, path] of rows) {
    for (const [api, plain] of Object.entries(apis)) {
      if (which !== "*" && which !== api) continue;
      const { input, messages, ...rest } = body;
      const own = api === "/responses" ? { input: input ?? "Hi" } : { messages: messages ?? plain.messages };
      const response = await post(gateway, { path: api, body: { ...plain, ...rest, ...own } });
      assert.equal(await pathOf(response), path, `${api} ${JSON.stringify(rest)}`);
    }
  }
  assert.deepEqual(upstream.requested, []);
});

Deno.test("a value of include that is none is 400 with the eight that are", async () => {
  await using upstream = scripted(says("responses", "one"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const body = { model: "mock/model", input: "Hi" };
  const { status, message, error } = await readError(
    await post(gateway, { body: { ...body, include: ["reasoning.encrypted_content", "made.up"] } }),
  );
  assert.deepEqual([status, asObject(error.metadata).path], [400, "include[1]"]);
  for (const value of includable) assert(message.includes(value), value);
  const taken = await post(gateway, { body: { ...body, include: includable } });
  assert.equal(taken.status, 200, await taken.text());
});

Deno.test("metadata keeps a pair called __proto__", async () => {
  await using upstream = scripted(says("responses", "one"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const metadata = '{"a":"b","__proto__":"kept","constructor":"kept too"}';
  const response = await post(gateway, {
    body: `{"model":"mock/model","input":"Hi","metadata":${metadata}}`,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert(text.includes(`"metadata":${metadata}`), text);
  const { status, message } = await readError(
    await post(gateway, { body: '{"model":"mock/model","input":"Hi","metadata":{"__proto__":1}}' }),
  );
  assert.deepEqual([status, message], [400, "metadata.__proto__ is 1; a string is expected"]);
});

Deno.test("top_k goes to a chat provider whose model lists it, and to no other", async () => {
  await using upstream = scripted(says("chat", "one"));
  const models = [
    { ...mockModel, id: "mock/lists", supported_parameters: ["top_k", "temperature"] },
    { ...mockModel, id: "mock/silent", supported_parameters: ["temperature"] },
  ];
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
  });
  for (const [model, sent] of [["mock/lists", 40], ["mock/silent", undefined]]) {
    for (const [api, plain] of Object.entries(apis)) {
      const response = await post(gateway, { path: api, body: { ...plain, model, top_k: 40 } });
      assert.equal(response.status, 200, await response.text());
      assert.equal(upstream.requested.at(-1)?.body.top_k, sent, `${api} ${model}`);
    }
  }
});
