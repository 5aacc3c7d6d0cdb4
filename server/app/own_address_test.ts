import assert from "node:assert/strict";
import { readConfig } from "../config/config.ts";
import { createProviders, providerSettings } from "../providers/mod.ts";
import { assertOtherAddresses } from "./own_address.ts";

interface Started {
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: object;
}

function start({ env = {}, file = {} }: Started): void {
  const all: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  const source = { env: (name: string) => all[name], readFile: () => JSON.stringify(file), terminal: false };
  const config = readConfig(source, providerSettings);
  assertOtherAddresses(config, createProviders(config).providers);
}

const key = { OPENAI_API_KEY: "sk-1" };
const own = "http://127.0.0.1:8787/v1";
const house = (base_url: string) => ({ providers: [{ id: "house", wire: "chat", base_url, models: [] }] });

/** Starts that would have the gateway call itself, by the provider that the sentence names. */
const refused: readonly (readonly [string, Started])[] = [
  ["OpenAI", { env: { ...key, OPENAI_BASE_URL: own } }],
  ["OpenAI", { env: { ...key, OPENAI_BASE_URL: "http://LOCALHOST:8787" } }],
  ["OpenAI", { env: { ...key, OPENAI_BASE_URL: "http://[::1]:8787/v1" } }],
  ["OpenAI", { env: { ...key, HOST: "0.0.0.0", OPENAI_BASE_URL: own } }],
  ["OpenAI", { env: { ...key, HOST: "::", OPENAI_BASE_URL: own } }],
  ["OpenAI", { env: { ...key, HOST: "10.0.0.7", PORT: "80", OPENAI_BASE_URL: "http://10.0.0.7/v1" } }],
  ["Anthropic", { env: { ANTHROPIC_API_KEY: "sk-2", ANTHROPIC_BASE_URL: "http://127.0.0.1:8787" } }],
  ["OpenRouter", {
    env: { OPENROUTER_API_KEY: "sk-3", OPENROUTER_BASE_URL: "http://127.0.0.1:8787/api/v1" },
  }],
  ["Google AI Studio", { env: { GEMINI_API_KEY: "gk", GEMINI_BASE_URL: own } }],
  ["vLLM", { env: { PORT: "8000", VLLM_BASE_URL: "on" } }],
  ["house", { file: house("http://localhost:8787/v1") }],
];

const taken: readonly Started[] = [
  {},
  // A client's variable alone switches nothing on.
  { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8787" } },
  { env: { ...key, PORT: "8788", OPENAI_BASE_URL: own } },
  { env: { ...key, PORT: "0", OPENAI_BASE_URL: own } },
  { env: { ...key, HOST: "10.0.0.7", OPENAI_BASE_URL: own } },
  { env: { ...key, OPENAI_BASE_URL: "https://127.0.0.1:8787/v1" } },
  { env: { ...key, OPENAI_BASE_URL: "http://gate.example:8787/v1" } },
  { file: house("http://127.0.0.1:8000/v1") },
];

Deno.test("a provider at the gateway's own address ends the start", () => {
  for (const [name, started] of refused) {
    assert.throws(() => start(started), ({ name: kind, message }: Error) => {
      assert.equal(kind, "ConfigError", message);
      assert(message.startsWith(`${name} is to be called at this gateway's own address`), message);
      return true;
    }, JSON.stringify(started));
  }
  for (const started of taken) assert.doesNotThrow(() => start(started), JSON.stringify(started));
});
