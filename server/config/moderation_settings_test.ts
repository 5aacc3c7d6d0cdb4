import assert from "node:assert/strict";
import { type Config, ConfigError, readConfig } from "./config.ts";

const keys = { OPENAI_API_KEY: "sk-openai", MISTRAL_API_KEY: "sk-mistral", GUARD_KEY: "sk-guard" };

function read(moderation: unknown, env: Readonly<Record<string, string>> = keys): Config {
  const names: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  return readConfig({
    env: (name) => Object.hasOwn(names, name) ? names[name] : undefined,
    readFile: () => JSON.stringify({ moderation }),
    terminal: false,
    names: () => Object.keys(names),
  }, []);
}

Deno.test("moderation has the address, the key and the model of its service", () => {
  const { moderation, warnings } = read({ wire: "openai" });
  assert.deepEqual(moderation, {
    wire: "openai",
    baseUrl: "https://api.openai.com/v1",
    key: "sk-openai",
    model: "omni-moderation-latest",
    name: "OpenAI",
    thresholds: new Map(),
    policy: undefined,
    fail: "closed",
    price: undefined,
  });
  assert.deepEqual(warnings, []);
  assert.equal(read({ wire: "mistral" }).moderation?.key, "sk-mistral");
  const guard = {
    wire: "llama-guard",
    base_url: "http://10.0.0.7:8000/v1/",
    model: "llama-guard-4",
    api_key_env: "GUARD_KEY",
    thresholds: { S6: null },
    fail: "open",
    price: "0.0001",
  };
  const { moderation: own } = read(guard);
  assert.deepEqual([own?.baseUrl, own?.key, own?.name], [
    "http://10.0.0.7:8000/v1",
    "sk-guard",
    "llama-guard-4",
  ]);
  assert.deepEqual([own?.fail, own?.price, own?.thresholds], ["open", "0.0001", new Map([["S6", null]])]);
  const { moderation: keyless } = read({ ...guard, api_key_env: undefined });
  assert.equal(keyless?.key, undefined);
  const { moderation: simulated } = read({ wire: "openai", model: "local/moderator" }, {});
  assert.deepEqual([simulated?.baseUrl, simulated?.key, simulated?.name], [
    undefined,
    undefined,
    "Built in (simulated)",
  ]);
  assert.equal(read(undefined).moderation, undefined);
});

for (const [wire, own] of [["openai", "api.openai.com"], ["mistral", "api.mistral.ai"]] as const) {
  Deno.test(`moderation sends the usual key of ${wire} to no other host`, () => {
    const elsewhere = [
      "http://127.0.0.1:8000/v1",
      "https://moderation.example/v1",
      `http://${own}/v1`,
      `https://${own}.example/v1`,
    ];
    for (const base_url of elsewhere) {
      assert.equal(read({ wire, base_url }).moderation?.key, undefined, base_url);
      // A service of one's own starts without a key.
      assert.equal(read({ wire, base_url }, {}).moderation?.baseUrl, base_url);
      assert.equal(read({ wire, base_url, api_key_env: "GUARD_KEY" }).moderation?.key, keys.GUARD_KEY);
    }
    assert.equal(read({ wire, base_url: `https://${own}/v1` }).moderation?.key, `sk-${wire}`);
  });
}

Deno.test("a moderation that cannot be used ends the start with its place and what is allowed", () => {
  const guard = { wire: "llama-guard", base_url: "http://10.0.0.7:8000/v1", model: "m" };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /gate\.jsonc: moderation\.wire is missing/],
    [{ wire: "azure" }, /moderation\.wire is "azure": expected one of "openai"/],
    [{ wire: "openai", modle: "m" }, /moderation\.modle is unknown: the keys here are wire, base_url, /],
    [
      { wire: "openai", base_url: "ftp://x" },
      /moderation\.base_url is "ftp:\/\/x": an http or https address/,
    ],
    [{ wire: "openai", fail: "never" }, /moderation\.fail is "never"/],
    [{ wire: "openai", price: 0.1 }, /moderation\.price is 0\.1/],
    [{ wire: "openai", thresholds: { violence: 1.5 } }, /moderation\.thresholds\.violence is 1\.5/],
    [
      { wire: "openai", thresholds: { violent: 0.5 } },
      /moderation\.thresholds\.violent is 0\.5: no category of openai/,
    ],
    [
      { wire: "openai", thresholds: { constructor: 0.5 } },
      /moderation\.thresholds\.constructor is 0\.5: no category/,
    ],
    [{ wire: "openai", policy: "x" }, /moderation\.policy is "x": only the wire policy has one/],
    [
      { wire: "llama-guard", model: "m" },
      /moderation\.base_url is missing: where wire is llama-guard, it is needed/,
    ],
    [{ ...guard, model: undefined }, /moderation\.model is missing/],
    [
      { ...guard, thresholds: { S1: 0.5 } },
      /moderation\.thresholds\.S1 is 0\.5: llama-guard gives no scores/,
    ],
    [
      { ...guard, thresholds: { S15: null } },
      /moderation\.thresholds\.S15 is null: no category of llama-guard/,
    ],
    [{ ...guard, wire: "policy" }, /moderation\.policy is missing: where wire is policy, it is needed/],
    [
      { wire: "llama-guard", model: "local/moderator" },
      /moderation\.wire is "llama-guard": local\/moderator is asked/,
    ],
  ];
  for (const [moderation, sentence] of cases) {
    assert.throws(
      () => read(moderation),
      (error) => error instanceof ConfigError && sentence.test(error.message),
    );
  }
  assert.throws(
    () => read({ wire: "openai" }, {}),
    /moderation\.api_key_env is OPENAI_API_KEY, which is not set/,
  );
  assert.throws(
    () => read({ wire: "openai", model: "local/moderator" }, { TOLLGATE_LOCAL: "off" }),
    /moderation\.model is local\/moderator, and TOLLGATE_LOCAL is off/,
  );
});
