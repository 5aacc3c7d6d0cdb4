import assert from "node:assert/strict";
import { providerSettings } from "../providers/mod.ts";
import { readConfig } from "./config.ts";

const read = (env: Readonly<Record<string, string>>, file = "{}") =>
  readConfig({
    env: (name) => env[name],
    names: () => Object.keys(env),
    readFile: () => file,
    terminal: false,
  }, providerSettings);

const warningsOf = (...input: Parameters<typeof read>): readonly string[] => read(...input).warnings;

const misspelled: readonly (readonly [string, string])[] = [
  ["TOLLGATE_MANAGMENT_KEY", "did you mean TOLLGATE_MANAGEMENT_KEY?"],
  ["TOLLGATE_APIKEY", "did you mean TOLLGATE_API_KEY?"],
  ["TOLLGATE_LOG_LEVEL", "did you mean LOG_LEVEL?"],
  ["TOLLGATE_PORT", "did you mean PORT?"],
  ["TOLLGATE_OPENAI_API_KEY", "did you mean OPENAI_API_KEY?"],
  ["TOLLGATE_DATA_FLE", "did you mean TOLLGATE_DATA_FILE?"],
  ["TOLLGATE_constructor", "see deno task start --help"],
  [`TOLLGATE_${"A".repeat(10_000)}`, "see deno task start --help"],
];

Deno.test("a variable with our prefix that is no setting is named, with the one that was meant", () => {
  for (const [name, words] of misspelled) {
    assert.deepEqual(warningsOf({ [name]: "x" }).map((text) => text.slice(-words.length)), [words], name);
  }
  const file = JSON.stringify({ fetch: { header_env: ["TOLLGATE_FILTER_TOKEN"] } });
  const fine = {
    TOLLGATE_FILTER_TOKEN: "x",
    TOLLGATE_CONFIG: "gate.jsonc",
    TOLLGATE_TEST_ALL: "1",
    MANAGEMENT: "1",
  };
  assert.deepEqual(warningsOf(fine, file), []);
});

/** Settings of providers, each with the others that it has no effect without. */
const halves: readonly (readonly [string, string])[] = [
  ["BEDROCK_REGION", "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  ["BEDROCK_BASE_URL", "BEDROCK_REGION"],
  ["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_REGION"],
  [
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_API_KEY, or AZURE_OPENAI_AD_TOKEN, or AZURE_TENANT_ID and AZURE_CLIENT_ID and AZURE_CLIENT_SECRET",
  ],
  ["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"],
  ["AZURE_OPENAI_AD_TOKEN", "AZURE_OPENAI_ENDPOINT"],
  ["AZURE_OPENAI_API_VERSION", "AZURE_OPENAI_ENDPOINT"],
  ["AZURE_SPEECH_KEY", "AZURE_SPEECH_REGION or AZURE_SPEECH_BASE_URL"],
  ["AZURE_SPEECH_TOKEN", "AZURE_SPEECH_REGION or AZURE_SPEECH_BASE_URL"],
  ["AZURE_SPEECH_REGION", "AZURE_SPEECH_KEY or AZURE_SPEECH_TOKEN"],
  ["AZURE_SPEECH_BASE_URL", "AZURE_SPEECH_KEY or AZURE_SPEECH_TOKEN"],
  ["VERTEX_PROJECT", "VERTEX_SERVICE_ACCOUNT"],
  ["VERTEX_LOCATION", "VERTEX_SERVICE_ACCOUNT"],
  ["VERTEX_BASE_URL", "VERTEX_SERVICE_ACCOUNT"],
  ["OPENAI_BASE_URL", "OPENAI_API_KEY"],
  ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"],
  ["OLLAMA_API_KEY", "OLLAMA_BASE_URL"],
];

/** Settings of other programs too, which say nothing about this one. */
const shared = /^AWS_(?!BEARER)|^AZURE_(?:TENANT|CLIENT|AUTHORITY)/;

const textOf = (name: string) =>
  /BASE_URL|ENDPOINT/.test(name) ? "https://host.example.com/v1" : "westeurope";

Deno.test("half of a provider's settings is named with what is missing, and the whole is not", () => {
  for (const [name, missing] of halves) {
    assert.deepEqual(warningsOf({ [name]: textOf(name) }), [`${name} has no effect without ${missing}`]);
    for (
      const group of providerSettings.find((setting) => setting.name === name)?.needs ?? assert.fail(name)
    ) {
      const env = Object.fromEntries([name, ...group].map((one) => [one, textOf(one)]));
      if (group.includes("VERTEX_SERVICE_ACCOUNT")) continue;
      const said = warningsOf(env).filter((sentence) => sentence.startsWith(`${name} `));
      assert.deepEqual(said, [], `${name} with ${group}`);
    }
  }
});

Deno.test("each setting of a provider switches it on, or says what it has no effect without", () => {
  const names = new Set(providerSettings.map(({ name }) => name));
  const alone = providerSettings.filter(({ name, needs, kind }) =>
    needs === undefined && !shared.test(name) && kind !== "document"
  );
  for (const { name, description } of alone) assert.match(description, /switches/, name);
  for (const { name, needs = [] } of providerSettings) {
    for (const other of needs.flat()) {
      assert.ok(names.has(other), `${name} needs ${other}, which is no setting`);
    }
  }
});

Deno.test("an address for other gateways has no effect without what they share, and that is said", () => {
  const TOLLGATE_PEER_URL = "http://10.0.0.5:8787";
  const TOLLGATE_STORE = "postgres://user:password@host:5432/database";
  const TOLLGATE_MASTER_KEY = new Uint8Array(32).toBase64();
  const without = (names: string) => [`TOLLGATE_PEER_URL has no effect without ${names}`];
  assert.deepEqual(warningsOf({ TOLLGATE_PEER_URL }), without("TOLLGATE_STORE and TOLLGATE_MASTER_KEY"));
  assert.deepEqual(warningsOf({ TOLLGATE_PEER_URL, TOLLGATE_STORE }), without("TOLLGATE_MASTER_KEY"));
  assert.deepEqual(warningsOf({ TOLLGATE_PEER_URL, TOLLGATE_MASTER_KEY }), without("TOLLGATE_STORE"));
  assert.deepEqual(warningsOf({ TOLLGATE_PEER_URL, TOLLGATE_STORE, TOLLGATE_MASTER_KEY }), []);
  assert.deepEqual(warningsOf({ TOLLGATE_STORE, TOLLGATE_MASTER_KEY }), []);
});

Deno.test("an address for other gateways is that of a server, and nothing more", () => {
  assert.equal(read({ TOLLGATE_PEER_URL: "http://10.0.0.5:8787/" }).instanceUrl, "http://10.0.0.5:8787");
  for (const url of ["http://10.0.0.5:8787/v1", "http://{hostname}:8787"]) {
    assert.throws(() => read({ TOLLGATE_PEER_URL: url }), {
      message: `TOLLGATE_PEER_URL is "${url}": allowed is an address such as ` +
        "http://10.0.0.5:8787, without user, path, query or fragment",
    });
  }
});
