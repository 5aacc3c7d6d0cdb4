import assert from "node:assert/strict";
import { isApart } from "../endpoint.ts";
import { readConfig } from "../../config/config.ts";
import { createProviders, providerSettings } from "../mod.ts";

function providersOf(env: Readonly<Record<string, string>>) {
  const config = readConfig({
    env: (name) => ({ TOLLGATE_LOCAL: "off", ...env })[name],
    readFile: () => assert.fail("there is no file"),
    terminal: false,
  }, providerSettings);
  return createProviders(config);
}

Deno.test("createProviders switches Google on with its key, which goes into Google's own header", () => {
  const found = providersOf({ GEMINI_API_KEY: "AIza-test" });
  assert.deepEqual(found.providers.map(({ id }) => id), ["google"]);
  const [endpoint] = found.resolve("google/gemini-2.5-flash");
  assert.equal(endpoint?.id, "google|google/gemini-2.5-flash|gemini-2.5-flash");
  assert.equal(endpoint?.provider.wire, "gemini");
  assert.equal(endpoint?.provider.baseUrl, "https://generativelanguage.googleapis.com/v1beta");
  assert.deepEqual(endpoint?.provider.headers, { "x-goog-api-key": "AIza-test" });
  assert.equal(endpoint?.pricing?.prompt, "0.0000003");
  assert.equal(found.resolve("google/gemini-next")[0]?.upstreamModel, "gemini-next");
  const elsewhere = providersOf({ GEMINI_API_KEY: "k", GEMINI_BASE_URL: "http://mock.example/v1beta/" });
  assert.equal(elsewhere.providers[0]?.baseUrl, "http://mock.example/v1beta");
});

Deno.test("Google's table is complete and in step", () => {
  const models = providersOf({ GEMINI_API_KEY: "k" }).endpoints.filter(({ model }) =>
    !model.outputModalities.every(isApart)
  );
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  for (const { model, pricing, maxOutputTokens } of models) {
    assert.match(model.id, /^google\/gem(ini|ma)-/);
    assert.ok(model.created > Date.UTC(2025, 5) / 1_000, model.id);
    assert.ok((maxOutputTokens ?? 0) <= (model.contextLength ?? 0), model.id);
    assert.ok(Number(pricing?.completion) >= Number(pricing?.prompt), model.id);
  }
});

Deno.test("Google's models that draw charge text at the rate of text", () => {
  const { resolve } = providersOf({ GEMINI_API_KEY: "k" });
  const rates = (slug: string) => {
    const { completion, imageOutput } = resolve(`google/${slug}`)[0]?.pricing ?? {};
    return [completion, imageOutput];
  };
  assert.deepEqual(rates("gemini-3-pro-image"), ["0.000012", "0.00012"]);
  assert.deepEqual(rates("gemini-3.1-flash-image"), ["0.000003", "0.00006"]);
  assert.deepEqual(rates("gemini-3.1-flash-lite-image"), ["0.0000015", "0.00003"]);
  assert.deepEqual(rates("gemini-2.5-flash-image"), ["0.0000025", "0.00003"]);
});

Deno.test("Google's introductory prices end on the day that it has announced", () => {
  const { resolve } = providersOf({ GEMINI_API_KEY: "k" });
  const pricing = resolve("google/gemini-4-carbon")[0]?.pricing;
  assert.equal(pricing?.prompt, "0.000002");
  assert.deepEqual(pricing?.overrides, [{
    from: "2026-12-01",
    prompt: "0.000004",
    completion: "0.00002",
    inputCacheRead: "0.0000002",
  }]);
});
