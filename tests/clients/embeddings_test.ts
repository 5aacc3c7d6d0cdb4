/** Embeddings by unmodified clients, in each provider's own words, through limits, receipts and guardrails. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import OpenAI from "openai";
import { asList, asObject, isObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { readError, readJson } from "../support/call.ts";
import { type Script, scripted } from "../support/scripted.ts";

const TEXTS = ["The quick brown fox", "A quick brown fox jumps", "Interest rates of banks"];

const openaiOf = ({ url, apiKey }: Gateway) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

const post = ({ url, apiKey }: Pick<Gateway, "url" | "apiKey">, body: Json) =>
  fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Likeness of two vectors of length 1. */
const likeness = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

Deno.test("openai embeddings.create gets a vector for each text, as floats and as base64", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const client = openaiOf(gateway);
  // The library asks for base64 unless it is told otherwise, and decodes it.
  const decoded = await client.embeddings.create({ model: "local/embed", input: TEXTS });
  const plain = await client.embeddings.create({
    model: "local/embed",
    input: TEXTS,
    encoding_format: "float",
  });
  const [fox = [], jumps = [], banks = []] = decoded.data.map(({ embedding }) => embedding);
  assert.deepEqual(decoded.data.map(({ index }) => index), [0, 1, 2]);
  assert.deepEqual(plain.data.map(({ embedding }) => embedding), [fox, jumps, banks]);
  assert.equal(fox.length, 256);
  assert(likeness(fox, jumps) > likeness(fox, banks));
  assert.equal(decoded.model, "local/embed");
  assert(decoded.usage.prompt_tokens > 5);
  const short = await client.embeddings.create({ model: "local/embed", input: "One text.", dimensions: 8 });
  assert.deepEqual(short.data.map(({ embedding }) => embedding.length), [8]);
});

Deno.test("@openrouter/sdk embeddings.generate knows everything in the answer", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const client = new OpenRouter({ serverURL: `${gateway.url}/api/v1`, apiKey: gateway.apiKey });
  const answer = await client.embeddings.generate({
    requestBody: { model: "local/embed", input: TEXTS, sessionId: "s1", user: "u1" },
  });
  assert(typeof answer === "object");
  assert.deepEqual(answer.data.map(({ index }) => index), [0, 1, 2]);
  assert.equal(answer.usage?.cost, 0);
  assert.equal(answer.model, "local/embed");
});

interface Dialect {
  readonly name: string;
  readonly model: string;
  readonly options: (baseUrl: string) => GatewayOptions;
  readonly path: string;
  readonly body: Json;
  readonly answer: Json;
  /** USD. */
  readonly cost: number;
  readonly tokens: number;
}

const vectors = [[0.5, -0.25], [1, 0]];
const openaiAnswer = {
  object: "list",
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed(),
  usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
};
const inputs = ["One", "Two"];

const dialects: readonly Dialect[] = [
  {
    name: "OpenAI",
    model: "openai/text-embedding-3-small",
    options: (baseUrl) => ({ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: baseUrl } }),
    path: "/v1/embeddings",
    body: { model: "text-embedding-3-small", input: inputs, dimensions: 2, encoding_format: "float" },
    answer: openaiAnswer,
    cost: 0.00002,
    tokens: 1_000,
  },
  {
    name: "Mistral",
    model: "mistralai/codestral-embed",
    options: (baseUrl) => ({ env: { MISTRAL_API_KEY: "k", MISTRAL_BASE_URL: baseUrl } }),
    path: "/v1/embeddings",
    body: { model: "codestral-embed", input: inputs, output_dimension: 2, encoding_format: "float" },
    answer: openaiAnswer,
    cost: 0.00015,
    tokens: 1_000,
  },
  {
    name: "Google",
    model: "google/gemini-embedding-001",
    options: (baseUrl) => ({ env: { GEMINI_API_KEY: "k", GEMINI_BASE_URL: baseUrl } }),
    path: "/v1/models/gemini-embedding-001:batchEmbedContents",
    body: {
      requests: inputs.map((text) => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    },
    answer: { embeddings: vectors.map((values) => ({ values })), usageMetadata: { promptTokenCount: 1_000 } },
    cost: 0.00015,
    tokens: 1_000,
  },
  {
    name: "a compatible server that counts nothing",
    model: "acme/embedder",
    options: (baseUrl) => ({
      providers: [providerAt(baseUrl, {
        id: "acme",
        wire: "chat",
        models: [{
          id: "acme/embedder",
          upstream_id: "e1",
          output_modalities: ["embeddings"],
          pricing: { prompt: "0.001", completion: "0" },
        }],
      })],
    }),
    path: "/v1/embeddings",
    body: { model: "e1", input: inputs, dimensions: 2, encoding_format: "float" },
    answer: { data: openaiAnswer.data },
    cost: 0.002,
    tokens: 2,
  },
];

/** Without the name of the end user, which is a hash. */
const withoutUser = ({ user: _user, ...body }: Json): Json => body;

for (const { name, model, options, path, body, answer, cost, tokens } of dialects) {
  Deno.test(`POST /embeddings asks ${name} in its own words, and charges what it counts`, async () => {
    await using upstream = scripted(() => Response.json(answer));
    await using gateway = await startGateway(options(upstream.baseUrl));
    const reply = await post(gateway, { model, input: inputs, dimensions: 2 });
    const generation = reply.headers.get("x-generation-id") ?? "";
    const result = await readJson(reply);
    assert.deepEqual(asList(result.data).map((one) => asObject(one).embedding), vectors);
    const asked = upstream.requested.map((one) => [one.path, withoutUser(one.body)]);
    assert.deepEqual(asked, [[path, body]]);
    assert.equal(asObject(result.usage).cost, cost);
    assert.equal(asObject(result.usage).prompt_tokens, tokens);
    const receipt = asObject(
      (await managed(gateway, { call: `GET /generation?id=${generation}` })).body.data,
    );
    assert.deepEqual([receipt.total_cost, receipt.api_type], [cost, "embeddings"]);
  });
}

const acme = (baseUrl: string) => dialects.at(-1)?.options(baseUrl) ?? {};
const works: Script = ({ body }) => {
  const data = asList(body.input).map((_, index) => ({ index, embedding: [1, 0] }));
  return Response.json({ data, usage: { prompt_tokens: 10, total_tokens: 10 } });
};

Deno.test("POST /embeddings holds to a key's limit, and never passes it", async () => {
  await using upstream = scripted(works);
  await using gateway = await startGateway(acme(upstream.baseUrl));
  const { key } = await createKey(gateway, { limit: 0.5 });
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => {
    const reply = await post({ url: gateway.url, apiKey: key }, { model: "acme/embedder", input: "A text" });
    await reply.body?.cancel();
    return reply.status;
  }));
  const own = await readJson(
    await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } }),
  );
  assert(statuses.includes(402) && statuses.includes(200), statuses.join(" "));
  assert(Number(asObject(own.data).usage) <= 0.5);
});

Deno.test("POST /embeddings has its texts read by the guardrails of the key", async () => {
  await using upstream = scripted(works);
  await using gateway = await startGateway(acme(upstream.baseUrl));
  const { key, record } = await createKey(gateway);
  const made = await managed(gateway, {
    call: "POST /guardrails",
    body: {
      name: "Filters",
      content_filters: [{ pattern: "secret", action: "redact" }, { pattern: "poison", action: "block" }],
    },
  });
  const id = String(asObject(made.body.data).id);
  const call = `POST /guardrails/${id}/assignments/keys`;
  await managed(gateway, { call, body: { key_hashes: [record.hash] } });
  const caller = { url: gateway.url, apiKey: key };
  await readJson(await post(caller, { model: "acme/embedder", input: ["A secret text", "plain"] }));
  const [sent] = upstream.requested;
  assert(!JSON.stringify(sent?.body).includes("secret"));
  assert.equal(asList(sent?.body.input).length, 2);
  const blocked = await readError(await post(caller, { model: "acme/embedder", input: "poison" }));
  assert.equal(blocked.status, 403);
  assert.equal(upstream.requested.length, 1);
});

/** In cl100k_base, as clients that count tokens send them. */
const tokens = { "hello world": [15339, 1917], "A secret text": [32, 6367, 1495] };

Deno.test("POST /embeddings makes texts of lists of tokens, for every wire and every guardrail", async () => {
  await using upstream = scripted(works);
  await using gateway = await startGateway({ ...acme(upstream.baseUrl), env: { TOLLGATE_LOCAL: "on" } });
  const embedded = async (input: unknown) => {
    const { data } = await readJson(await post(gateway, { model: "local/embed", input }));
    return asList(data).map((one) => asObject(one).embedding);
  };
  const [hello, secret] = Object.keys(tokens);
  const texts = await embedded([hello, secret]);
  assert.deepEqual(await embedded(Object.values(tokens)), texts);
  assert.deepEqual(await embedded([hello, tokens["A secret text"]]), texts);
  assert.deepEqual(await embedded(tokens["hello world"]), texts.slice(0, 1));
  const { key, record } = await createKey(gateway);
  const body = { name: "Filters", content_filters: [{ pattern: "secret", action: "redact" }] };
  const made = await managed(gateway, { call: "POST /guardrails", body });
  const call = `POST /guardrails/${String(asObject(made.body.data).id)}/assignments/keys`;
  await managed(gateway, { call, body: { key_hashes: [record.hash] } });
  const caller = { url: gateway.url, apiKey: key };
  await readJson(await post(caller, { model: "acme/embedder", input: Object.values(tokens) }));
  assert.deepEqual(upstream.requested.map(({ body: { input } }) => input), [[
    "hello world",
    "A [REDACTED] text",
  ]]);
});

Deno.test("POST /embeddings refuses what makes no vectors, and conversations refuse what makes nothing else", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const refused = await readError(await post(gateway, { model: "local/echo", input: "x" }));
  assert.equal(refused.status, 404);
  assert.match(JSON.stringify(refused.error), /embeddings/);
  const chat = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "local/embed", messages: [{ role: "user", content: "x" }] }),
  });
  assert.match(JSON.stringify((await readError(chat)).error), /nothing but embeddings/);
  const noTokens = [[-1], [1.5], [100_256], [[1], []], [[1], [100_256]], [1, "a"], [["a"]], ["a", 1]];
  const tooMany = [Array(150_001).fill(1), Array(150_000).fill(1)];
  for (const input of [...noTokens, tooMany, [], [""], [{ content: [{ type: "image_url" }] }]]) {
    const wrong = await readError(await post(gateway, { model: "local/embed", input }));
    assert.equal(wrong.status, 400, JSON.stringify(input).slice(0, 100));
    assert.match(wrong.message, /^input/);
  }
});

const INPUT_ALLOWED =
  "; allowed: a text, a list of 1 to 2,048 texts (each may be an object with text parts in " +
  "content, or a list of its tokens), or a list of tokens; a token is a whole number from 0 to 100,255, and a " +
  "request has at most 300,000 of them";

/** Values of `input`, and the beginning of what is said of them. */
const wrongInputs: readonly (readonly [input: unknown, says: string])[] = [
  [undefined, "input is missing"],
  [null, "input is null"],
  [5, "input is 5"],
  [{}, "input is an object"],
  ["", "input is empty"],
  [[], "input is empty"],
  [Array(2_049).fill("a"), "input has 2,049 entries"],
  [Array(300_001).fill(1), "input has 300,001 tokens"],
  [[Array(150_001).fill(1), Array(150_000).fill(1)], "input has 300,001 tokens"],
  [["a", 1], "input[1] is 1"],
  [[1, "a"], 'input[1] is "a"'],
  [[1, 2.5], "input[1] is 2.5"],
  [[-1], "input[0] is -1"],
  [[100_256], "input[0] is 100256"],
  [[null], "input[0] is null"],
  [["a", ""], "input[1] is empty"],
  [["a", []], "input[1] is empty"],
  [[["a"]], 'input[0][0] is "a"'],
  [["a", [1, 100_256]], "input[1][1] is 100256"],
  [[true], "input[0] is true"],
  [["a", {}], "input[1].content is missing"],
  [[{ content: "a" }], 'input[0].content is "a"'],
  [[{ content: [] }], "input[0].content is empty"],
  [[{ content: ["a"] }], 'input[0].content[0] is "a"'],
  [[{ content: [{ type: "text" }] }], "input[0].content[0].text is missing"],
  [[{ content: [{ type: "text", text: "" }] }], "input[0].content[0].text is empty"],
  ...["image_url", "input_audio", "input_video", "input_file"].map((type): readonly [unknown, string] => [
    ["a", { content: [{ type: "text", text: "b" }, { type }] }],
    `input[1].content[1].type is "${type}", and nothing but text can be embedded`,
  ]),
];

Deno.test("POST /embeddings says of a wrong input where it is, what is there and what is allowed", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  for (const [input, says] of wrongInputs) {
    const wrong = await readError(await post(gateway, { model: "local/embed", input }));
    assert.equal(wrong.status, 400, says);
    assert.equal(wrong.message, says + INPUT_ALLOWED);
    assert.equal(asObject(wrong.error.metadata).path, says.split(" ")[0]);
  }
  const lengths: readonly (readonly [dimensions: unknown, says: RegExp])[] = [
    [0, /dimensions is 0; at least 1 is needed/],
    [1.5, /dimensions is 1\.5; a whole number is expected/],
    ["8", /dimensions is "8"; a(?: whole)? number is expected/],
    [4_097, /Invalid value for 'dimensions': allowed is a whole number from 1 to 4,096\./],
  ];
  for (const [dimensions, says] of lengths) {
    const wrong = await readError(await post(gateway, { model: "local/embed", input: "a", dimensions }));
    assert.equal(wrong.status, 400);
    assert.match(wrong.message, says);
  }
});

Deno.test("POST /embeddings takes models without model, as every API does, and needs one of them", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const calls: readonly (readonly [body: Json, status: number])[] = [
    [{ models: ["local/embed"] }, 200],
    [{ model: null, models: ["acme/none", "local/embed"] }, 200],
    [{ model: "acme/none", models: ["local/embed"] }, 200],
    [{ models: [] }, 400],
    [{ model: null }, 400],
    [{}, 400],
    [{ model: "" }, 400],
    [{ models: [""] }, 400],
  ];
  for (const [body, status] of calls) {
    const reply = await post(gateway, { ...body, input: "Hello" });
    const text = await reply.text();
    assert.equal(reply.status, status, `${JSON.stringify(body)}: ${text}`);
    if (status === 400) assert.match(text, /"message":"models?(?:\[0\])? is /);
  }
});

Deno.test("POST /embeddings asks the next model where an answer has too few vectors, or none", async () => {
  const broken: readonly Script[] = [
    () => Response.json({ data: [{ index: 0, embedding: [1] }] }),
    () => Response.json({ error: { message: "Overloaded" } }, { status: 503 }),
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  ];
  for (const script of broken) {
    await using upstream = scripted((requested, number) =>
      number === 0 ? script(requested, number) : works(requested, number)
    );
    const [{ models = [], ...provider } = {}] = acme(upstream.baseUrl).providers ?? [];
    const other = { ...asObject(asList(models)[0]), id: "acme/other", upstream_id: "e2" };
    await using gateway = await startGateway({
      providers: [{ ...provider, models: [...asList(models), other] }],
    });
    const reply = await post(gateway, { models: ["acme/other"], model: "acme/embedder", input: ["a", "b"] });
    const result = await readJson(reply);
    assert.equal(result.model, "acme/other");
    assert(asList(result.data).every((one) => isObject(one) && Array.isArray(one.embedding)));
  }
});
