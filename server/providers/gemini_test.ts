import assert from "node:assert/strict";
import { readConfig } from "../config.ts";
import { providerSettings, providersFrom } from "./mod.ts";

function providersOf(env: Readonly<Record<string, string>>) {
  const config = readConfig({
    env: (name) => ({ TOLLGATE_LOCAL: "off", ...env })[name],
    readFile: () => assert.fail("there is no file"),
    terminal: false,
  }, providerSettings);
  return providersFrom(config);
}

Deno.test("providersFrom switches Google on with its key, which goes into Google's own header", () => {
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
  const models = providersOf({ GEMINI_API_KEY: "k" }).endpoints.filter(({ speech }) => speech === undefined);
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  for (const { model, pricing, maxOutputTokens } of models) {
    assert.match(model.id, /^google\/gem(ini|ma)-/);
    assert.ok(model.created > Date.UTC(2025, 5) / 1_000, model.id);
    assert.ok((maxOutputTokens ?? 0) <= (model.contextLength ?? 0), model.id);
    assert.ok(Number(pricing?.completion) >= Number(pricing?.prompt), model.id);
  }
});
