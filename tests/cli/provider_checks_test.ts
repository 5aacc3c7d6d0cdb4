/**
 * Tests the doctor's checks of providers: endpoints that a gateway leaves alone, and keys that are tried at their
 * lists.
 */

import assert from "node:assert/strict";
import type { CheckRow } from "../../server/cli/checks/doctor_rows.ts";
import { endpointChecks, modelListChecks } from "../../server/cli/checks/provider_checks.ts";
import { readConfig } from "../../server/config/config.ts";
import { createProviders, providerSettings } from "../../server/providers/mod.ts";
import { modelListUrl } from "../../server/providers/model_list.ts";
import { fakeClock } from "../support/clock.ts";
import { PROVIDER_KEY, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt } from "../money/rig.ts";

Deno.test("doctor names endpoints whose key is refused, and those that cool down", async () => {
  const clock = fakeClock();
  const statuses = { refused: 401, busy: 429, well: 200 };
  await using upstream = scripted((requested, number) => {
    const status = statuses[requested.path.split("/")[1] as keyof typeof statuses];
    if (status === 200) return says("chat", "Hello")(requested, number);
    return Response.json({ error: { message: "No." } }, { status });
  });
  const origin = new URL(upstream.baseUrl).origin;
  const providers = Object.keys(statuses).map((id) =>
    pricedAt(`${origin}/${id}/v1`, { id, name: id, wire: "chat", models: [{ id: `mock/${id}` }] })
  );
  await using gateway = await startGateway({ providers, clock });
  const checks = async () => endpointChecks((await managed(gateway, { call: "GET /status" })).body);
  assert.deepEqual(await checks(), [
    { check: "endpoints", verdict: "ok", found: "0 were called since the start, and all are well" },
  ]);
  for (const id of Object.keys(statuses)) {
    await (await call(gateway, { key: gateway.apiKey, model: `mock/${id}` })).text();
  }
  const refused =
    "the gateway's key is refused: refused mock/refused (status 401: it is wrong, expired or disabled)";
  const cooling = "cooling down: busy mock/busy (status 429: too many requests)";
  const expected = [
    { check: "endpoints", verdict: "failed", found: refused },
    { check: "endpoints", verdict: "warning", found: cooling },
  ];
  assert.deepEqual(await checks(), expected);
  clock.leap(60_000);
  assert.deepEqual((await checks())[0], expected[0], "until a call was answered");
});

interface ListCase {
  readonly name: string;
  readonly answer: () => Response;
  readonly verdict: CheckRow["verdict"];
  readonly found: RegExp;
}

const wrongKey = { error: { code: 400, details: [{ reason: "API_KEY_INVALID" }] } };
const list = (key: string) => () => Response.json({ [key]: [{ id: "a" }, { id: "b" }] });
const lists: readonly ListCase[] = [
  ...["data", "models", "voices"].map((key) => ({
    name: `a list under ${key}`,
    answer: list(key),
    verdict: "ok" as const,
    found: /^accepted: 2 models are listed$/,
  })),
  { name: "a bare list", answer: () => Response.json([1]), verdict: "ok", found: /^accepted: 1 models/ },
  ...[401, 402, 403].map((status) => ({
    name: String(status),
    answer: () => Response.json({ error: { message: `Bad key ${PROVIDER_KEY}` } }, { status }),
    verdict: "failed" as const,
    found: new RegExp(`^refused \\(status ${status}\\)`),
  })),
  {
    name: "Google's word for a wrong key",
    answer: () => Response.json(wrongKey, { status: 400 }),
    verdict: "failed",
    found: /^refused \(status 400\)/,
  },
  {
    name: "no list",
    answer: () => new Response("<html></html>", { status: 404 }),
    verdict: "warning",
    found: /^not tried: the list of models is answered with status 404$/,
  },
  {
    name: "a redirect",
    answer: () => new Response(null, { status: 302, headers: { location: "http://other.example/" } }),
    verdict: "warning",
    found: /^not tried: .* status 302$/,
  },
];

for (const { name, answer, verdict, found } of lists) {
  Deno.test(`doctor asks a provider for its models once: ${name}`, async () => {
    const asked: string[] = [];
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get("authorization")}`);
      return answer();
    });
    const url = `http://127.0.0.1:${server.addr.port}/v1/models`;
    const provider = { name: "Mock", listUrl: url, headers: { authorization: `Bearer ${PROVIDER_KEY}` } };
    const [row] = await modelListChecks({ clock: fakeClock(), fetch }, [provider]);
    assert.deepEqual([row?.check, row?.verdict], ["key of Mock", verdict]);
    assert.match(row?.found ?? "", found);
    assert(!JSON.stringify(row).includes(PROVIDER_KEY));
    assert.deepEqual(asked, [`GET ${url} Bearer ${PROVIDER_KEY}`]);
  });
}

Deno.test("doctor goes on where a provider does not answer, is silent, or has nothing to ask", async () => {
  const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${gone.addr.port}`;
  gone.close();
  const clock = fakeClock();
  let isAsked = false;
  const get: typeof fetch = (input, init) => {
    if (!String(input).startsWith("http://silent.example/")) return fetch(input, init);
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new DOMException("Ended", "AbortError")));
      isAsked = true;
    });
  };
  const rows = modelListChecks({ clock, fetch: get }, [
    { name: "Gone", listUrl: `http://${host}/models`, headers: {} },
    { name: "Silent", listUrl: "http://silent.example/models", headers: {} },
    { name: "Signed", listUrl: undefined, headers: {} },
  ]);
  await clock.advanceOnce(() => isAsked, 10_000);
  assert.deepEqual(await rows, [
    { check: "key of Gone", verdict: "warning", found: `not tried: ${host} does not answer` },
    { check: "key of Silent", verdict: "warning", found: "not tried: silent.example does not answer" },
    {
      check: "key of Signed",
      verdict: "ok",
      found: "not tried: it has no list of models to ask for with it",
    },
  ]);
});

const urls = {
  OPENAI_API_KEY: "https://api.openai.com/v1/models",
  ANTHROPIC_API_KEY: "https://api.anthropic.com/v1/models",
  GEMINI_API_KEY: "https://generativelanguage.googleapis.com/v1beta/models",
  GROQ_API_KEY: "https://api.groq.com/openai/v1/models",
  ELEVENLABS_API_KEY: "https://api.elevenlabs.io/v1/models",
  DEEPGRAM_API_KEY: "https://api.deepgram.com/v1/models",
  CARTESIA_API_KEY: "https://api.cartesia.ai/voices",
} as const;

for (const [variable, url] of Object.entries(urls)) {
  Deno.test(`the list of models that tries ${variable} is at ${url}`, () => {
    const env = (name: string) => name === variable ? PROVIDER_KEY : undefined;
    const config = readConfig({ env, readFile: () => "", terminal: false }, providerSettings);
    assert.deepEqual(createProviders(config).providers.map(modelListUrl), [url]);
  });
}
