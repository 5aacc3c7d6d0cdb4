/** Checks docs/migrating.md row by row against a gateway. */

import assert from "node:assert/strict";
import * as z from "zod";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { manage } from "../support/manage.ts";
import { codeBlocks } from "./commands.ts";

const page = await Deno.readTextFile(new URL("../../docs/migrating.md", import.meta.url));

interface Sent {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with the API key; a body makes it a POST. */
async function send({ url, apiKey }: Gateway, { path, body, headers = {} }: Sent) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const messages = [{ role: "user", content: "Hi" }];
const chat = (fields: Readonly<Record<string, unknown>>): Sent => ({
  path: "/api/v1/chat/completions",
  body: { model: "local/echo", messages, ...fields },
  headers: { "X-OpenRouter-Metadata": "enabled", "HTTP-Referer": "https://app.example", "X-Title": "App" },
});
const posted = (path: string): Sent => ({ path, body: { model: "local/echo", input: "Hi" } });

interface Statement {
  /** Stands on the page. */
  readonly says: string;
  readonly sent: Sent;
  readonly status: number;
  readonly has?: RegExp;
}

const statements: readonly Statement[] = [
  {
    says: "a name that nobody serves is passed over",
    sent: chat({ model: undefined, models: ["nobody/none", "local/echo"] }),
    status: 200,
    has: /You said: Hi/,
  },
  {
    says: '`"usage": {"include": true}` is taken and changes nothing',
    sent: chat({ usage: { include: true } }),
    status: 200,
    has: /"cost":0/,
  },
  { says: "`usage.cost`, streamed too", sent: chat({ stream: true }), status: 200, has: /"cost":0/ },
  { says: "`HTTP-Referer`, `X-Title`", sent: chat({}), status: 200, has: /"openrouter_metadata":/ },
  {
    says: "the metadata names them under `dropped`",
    sent: chat({ plugins: [{ id: "switchyard-router" }] }),
    status: 200,
    has: /"dropped":\["plugin switchyard-router"\]/,
  },
  {
    says: "`transforms` | taken, without effect, named under `dropped`",
    sent: chat({ transforms: ["middle-out"] }),
    status: 200,
    has: /"dropped":\["transforms"\]/,
  },
  {
    says: "`openrouter/auto` | chooses among the models of this gateway",
    sent: chat({ model: "openrouter/auto" }),
    status: 200,
    has: /"strategy":"auto"/,
  },
  { says: "one that is not there is 404", sent: chat({ model: "@preset/mine" }), status: 404 },
  { says: "`POST /completions` | 404", sent: posted("/api/v1/completions"), status: 404 },
  {
    says: "400: texts alone can be embedded",
    sent: {
      path: "/api/v1/embeddings",
      body: { model: "local/embed", input: [{ content: [{ type: "image_url" }] }] },
    },
    status: 400,
    has: /nothing but text can be embedded/,
  },
  { says: "`GET /auth/key`", sent: { path: "/api/v1/auth/key" }, status: 404 },
  { says: "`GET /key`", sent: { path: "/api/v1/key" }, status: 200, has: /"limit":null/ },
  { says: "needs a management key", sent: { path: "/api/v1/credits" }, status: 403, has: /management keys/ },
  {
    says: '`{"error": {"code", "message", "metadata"}}`',
    sent: { path: "/api/v1/generation?id=gen-none" },
    status: 404,
    has: /^\{"error":\{"code":404,"message":"[^"]+","metadata":\{/,
  },
  { says: "Routes without `/v1` are 404", sent: posted("/chat/completions"), status: 404 },
  ...["completions", "images/generations", "audio/transcriptions", "batches", "rerank"].map(
    (route) => ({ says: `\`/${route}\``, sent: posted(`/v1/${route}`), status: 404 }),
  ),
];

Deno.test("what migrating says of requests holds", async (t) => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  for (const { says, sent, status, has } of statements) {
    await t.step(says, async () => {
      assert(page.includes(says), `the page does not say: ${says}`);
      const got = await send(gateway, sent);
      assert.equal(got.status, status, got.text);
      if (has !== undefined) assert.match(got.text, has);
    });
  }
});

const explained = z.object({
  candidates: z.array(
    z.object({ model: z.string(), provider_slug: z.string(), price: z.looseObject({}).nullable() }),
  ),
});

async function candidatesOf(gateway: Gateway, model: string) {
  const { status, text } = await send(gateway, { path: "/v1/route/explain", body: { model, input: "Hi" } });
  assert.equal(status, 200, text);
  return explained.parse(JSON.parse(text)).candidates;
}

Deno.test("models that migrating names are served with OpenRouter as the only provider", async () => {
  await using gateway = await startGateway({ env: { OPENROUTER_API_KEY: "sk-or-of-a-test" } });
  for (const model of ["openai/gpt-5.5", "anthropic/claude-opus-4.8", "openrouter/auto"]) {
    const [first] = await candidatesOf(gateway, model);
    assert.equal(first?.provider_slug, "openrouter", model);
  }
});

Deno.test("the configuration file of migrating serves what the config.yaml beside it names", async () => {
  const block = (await codeBlocks("docs/migrating.md")).find(({ language }) => language === "json");
  const file = z.object({
    aliases: z.record(z.string(), z.string()),
    providers: z.array(z.record(z.string(), z.unknown())),
  })
    .parse(JSON.parse(block?.text ?? ""));
  await using gateway = await startGateway({
    providers: file.providers,
    file: { aliases: file.aliases },
    env: { OPENAI_API_KEY: "sk-of-a-test", HOUSE_API_KEY: "of-a-test" },
  });
  const [fast] = await candidatesOf(gateway, "fast");
  assert.deepEqual([fast?.model, fast?.provider_slug], ["openai/gpt-5-mini", "openai"]);
  const [own] = await candidatesOf(gateway, "house-llama");
  assert.deepEqual([own?.model, own?.provider_slug], ["house/llama", "house"]);
  assert.notEqual(own?.price, null);
});

Deno.test("a management key calls no model, as migrating says", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const body = { model: "local/echo", input: "Hi" };
  const response = await manage(gateway, { call: "POST /responses", body });
  await response.body?.cancel();
  assert(response.status === 401 || response.status === 403, String(response.status));
});
