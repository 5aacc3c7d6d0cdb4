import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { createProviders, type ProviderRegistry, providerSettings } from "../mod.ts";
import { withByokCredential } from "../byok_endpoint.ts";

const keys: Readonly<Record<string, string>> = {
  TOLLGATE_LOCAL: "off",
  OPENAI_API_KEY: "k-openai",
  GEMINI_API_KEY: "k-google",
  GROQ_API_KEY: "k-groq",
  MISTRAL_API_KEY: "k-mistral",
  ELEVENLABS_API_KEY: "k-eleven",
  DEEPGRAM_API_KEY: "k-deepgram",
  CARTESIA_API_KEY: "k-cartesia",
  AZURE_SPEECH_KEY: "k-azure",
  AZURE_SPEECH_REGION: "westeurope",
};

function providersOf(env: Readonly<Record<string, string>> = keys): ProviderRegistry {
  const source = { env: (name: string) => env[name], readFile: () => "", terminal: false };
  return createProviders(readConfig(source, providerSettings));
}

const providerNamed = (id: string, env = keys) =>
  providersOf(env).providers.find((provider) => provider.id === id);

Deno.test("the table of models that speak is complete and in step", () => {
  const models = providersOf().endpoints.filter(({ speech }) => speech !== undefined);
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  for (const { model, provider, pricing, speech } of models) {
    assert.deepEqual(model.outputModalities, ["speech"], model.id);
    assert.notEqual(provider.speech, undefined, model.id);
    assert.equal(new Set(speech?.voices).size, speech?.voices?.length ?? 0, model.id);
    assert.equal(speech?.voices?.includes(""), speech?.voices === undefined ? undefined : false, model.id);
    const charged = [pricing?.character, pricing?.completion].some((price) => Number(price ?? 0) > 0);
    assert.equal(charged, model.id !== "deepgram/flux", model.id);
  }
  const cloning = models.filter(({ speech }) => speech?.clones).map(({ model }) => model.id);
  assert.deepEqual(cloning, ["mistralai/voxtral-mini-tts-3-0", "mistralai/voxtral-mini-tts-2603"]);
});

/** Provider, its address, and the header that carries its key. */
const addresses: readonly (readonly [id: string, baseUrl: string, header: string, value: string])[] = [
  ["openai", "https://api.openai.com/v1", "authorization", "Bearer k-openai"],
  ["google", "https://generativelanguage.googleapis.com/v1beta", "x-goog-api-key", "k-google"],
  ["groq", "https://api.groq.com/openai/v1", "authorization", "Bearer k-groq"],
  ["mistral", "https://api.mistral.ai/v1", "authorization", "Bearer k-mistral"],
  ["elevenlabs", "https://api.elevenlabs.io/v1", "xi-api-key", "k-eleven"],
  ["deepgram", "https://api.deepgram.com", "authorization", "Token k-deepgram"],
  ["cartesia", "https://api.cartesia.ai", "authorization", "Bearer k-cartesia"],
  ["azure-speech", "https://westeurope.tts.speech.microsoft.com", "ocp-apim-subscription-key", "k-azure"],
];

Deno.test("createProviders switches providers that speak on with their keys", () => {
  for (const [id, baseUrl, header, value] of addresses) {
    const provider = providerNamed(id);
    assert.equal(provider?.baseUrl, baseUrl, id);
    assert.deepEqual(provider?.headers, { [header]: value }, id);
  }
  assert.deepEqual(providersOf({ TOLLGATE_LOCAL: "off" }).providers, []);
});

Deno.test("withByokCredential puts a caller's key where a provider that speaks wants it", () => {
  const endpoints = providersOf().endpoints;
  const another = withByokCredential({
    id: "key",
    version: 1,
    key: "own",
    fallback: false,
    order: 0,
    zdr: null,
  });
  for (const [id, , header, value] of addresses) {
    const endpoint = endpoints.find(({ provider }) => provider.id === id);
    assert.ok(endpoint, id);
    const expected = value.replace(/\S+$/, "own");
    assert.deepEqual(another(endpoint)?.provider.headers, { [header]: expected }, id);
  }
});

/** Requested model, and the endpoint and the model's name there that it comes to. */
const found: readonly (readonly [asked: string, provider: string, upstream: string])[] = [
  ["openai/tts-1", "openai", "tts-1"],
  ["google/gemini-3.8-flash-tts", "google", "gemini-3.8-flash-tts"],
  ["canopylabs/orpheus-v1-english", "groq", "canopylabs/orpheus-v1-english"],
  ["groq/canopylabs/orpheus-v1-english", "groq", "canopylabs/orpheus-v1-english"],
  ["mistralai/voxtral-mini-tts-3-0", "mistral", "voxtral-mini-tts-3-0"],
  ["mistral/voxtral-mini-tts-3-0", "mistral", "voxtral-mini-tts-3-0"],
  ["elevenlabs/eleven_flash_v2_5", "elevenlabs", "eleven_flash_v2_5"],
  ["deepgram/aura-2", "deepgram", "aura-2"],
  ["cartesia/sonic-3.5", "cartesia", "sonic-3.5"],
  ["azure-speech/neural", "azure-speech", "neural"],
];

Deno.test("resolve finds a model that speaks by its own name and by its provider's", () => {
  const providers = providersOf();
  for (const [requested, provider, upstream] of found) {
    const [endpoint] = providers.resolve(requested);
    assert.equal(endpoint?.provider.id, provider, requested);
    assert.equal(endpoint?.upstreamModel, upstream, requested);
    assert.notEqual(endpoint?.speech, undefined, requested);
    assert.notEqual(endpoint?.isAssumed, true, requested);
  }
  assert.deepEqual(providers.resolve("elevenlabs/whatever"), []);
});

/** USD a character or a token, and whose price list says so. */
const prices:
  readonly (readonly [model: string, rate: "character" | "completion" | "prompt", price: string])[] = [
    ["openai/tts-1", "character", "0.000015"],
    ["openai/tts-1-hd", "character", "0.00003"],
    ["openai/gpt-4o-mini-tts", "prompt", "0.0000006"],
    ["openai/gpt-4o-mini-tts", "completion", "0.000012"],
    ["google/gemini-3.8-flash-tts", "completion", "0.000009"],
    ["google/gemini-3.8-flash-lite-tts", "completion", "0.000006"],
    ["canopylabs/orpheus-v1-english", "character", "0.000022"],
    ["mistralai/voxtral-mini-tts-3-0", "character", "0.000013"],
    ["elevenlabs/eleven_v3", "character", "0.0001"],
    ["elevenlabs/eleven_flash_v2_5", "character", "0.00005"],
    ["deepgram/aura-2", "character", "0.00003"],
    ["cartesia/sonic-3.5", "character", "0.00005"],
    ["azure-speech/neural", "character", "0.000016"],
    ["azure-speech/neural-hd", "character", "0.000022"],
  ];

Deno.test("models that speak cost what their providers publish", () => {
  const providers = providersOf();
  for (const [model, rate, price] of prices) {
    assert.equal(providers.resolve(model)[0]?.pricing?.[rate], price, `${model} ${rate}`);
  }
  const later = providers.resolve("google/gemini-3.8-flash-tts")[0]?.pricing?.overrides;
  assert.deepEqual(later, [{ from: "2027-01-01", prompt: "0.000001", completion: "0.000018" }]);
});

Deno.test("Azure AI Speech needs a region and a key, or a token", () => {
  const env = { TOLLGATE_LOCAL: "off", AZURE_SPEECH_REGION: "eastus" };
  assert.equal(providerNamed("azure-speech", env), undefined);
  assert.equal(
    providerNamed("azure-speech", { ...env, AZURE_SPEECH_REGION: "", AZURE_SPEECH_KEY: "k" }),
    undefined,
  );
  const signed = providerNamed("azure-speech", { ...env, AZURE_SPEECH_TOKEN: "t" });
  assert.deepEqual(signed?.headers, { authorization: "Bearer t" });
  const elsewhere = { ...env, AZURE_SPEECH_KEY: "k", AZURE_SPEECH_BASE_URL: "http://container:5000" };
  assert.equal(providerNamed("azure-speech", elsewhere)?.baseUrl, "http://container:5000");
  const attack = { ...env, AZURE_SPEECH_REGION: "evil.example/", AZURE_SPEECH_KEY: "k" };
  assert.throws(() => providersOf(attack), /AZURE_SPEECH_REGION/);
});
