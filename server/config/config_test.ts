import assert from "node:assert/strict";
import { ConfigError, type ConfigSource, readConfig } from "./config.ts";
import { settingsTable } from "./shown/settings_table.ts";
import type { ProviderSetting } from "./provider_setting.ts";
import { limitsSchema } from "./limits.ts";
import { processConfigSource } from "./process/process_source.ts";

const providerSettings: readonly ProviderSetting[] = [
  { name: "ACME_API_KEY", description: "key of Acme", kind: "key" },
  {
    name: "OLLAMA_BASE_URL",
    description: "address of Ollama",
    kind: "base_url",
    defaultValue: "http://127.0.0.1:11434/v1",
  },
];

function source(env: Readonly<Record<string, string>> = {}, file?: string): ConfigSource {
  return {
    env: (name) => env[name],
    readFile: (path) => {
      if (file === undefined) throw new Error(`No such file: ${path}`);
      return file;
    },
    terminal: false,
  };
}

function read(env?: Readonly<Record<string, string>>) {
  return readConfig(source(env), providerSettings);
}

/** Reads a configuration file; an object stands for its JSON. */
function readFile(file: unknown, env: Readonly<Record<string, string>> = {}) {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  return readConfig(source({ TOLLGATE_CONFIG: "gate.jsonc", ...env }, text), providerSettings);
}

/** The one sentence that a broken configuration ends with. */
function sentenceOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.ok(!error.message.includes("\n"), "one line");
    return error.message;
  }
  return assert.fail("nothing was thrown");
}

const defaultSandbox = {
  engine: "auto",
  processes: 2 * navigator.hardwareConcurrency,
  spare: true,
  memoryMib: 512,
  keepMs: 2_592_000_000,
  pythonPackages: ["numpy", "pandas", "matplotlib"],
  arePackagesNamed: false,
  pythonIndex: undefined,
  root: undefined,
  wheels: [],
};

const noKeys = { managementKey: undefined, apiKey: undefined };
const unset = { store: undefined, blobs: undefined, instanceUrl: undefined, ...noKeys };
const noRouters = { routing: {}, auto: { defaultModels: [], classifier: "local" }, scores: new Map() };
const firstByte = { firstByteMs: 60_000, ownFirstByteMs: 300_000 };

const fusionPresets = {
  "general-high": {
    analysis_models: [
      "~anthropic/claude-opus-latest",
      "~openai/gpt-sol-latest",
      "~google/gemini-pro-latest",
    ],
  },
  "general-budget": {
    analysis_models: [
      "~google/gemini-flash-latest",
      "~deepseek/deepseek-latest",
      "~moonshotai/kimi-latest",
    ],
    model: "~anthropic/claude-opus-latest",
  },
  "general-fast": {
    analysis_models: [
      "~google/gemini-flash-latest",
      "~anthropic/claude-haiku-latest",
      "~openai/gpt-mini-latest",
    ],
  },
};

const fileBytes = { workspaceFileBytes: 10_737_418_240, storeFileBytes: 1_073_741_824 };
const atStart = { log: { format: "json", level: "info" }, warmUp: true, deploy: false };
const kept = { receiptMs: 7_776_000_000, memoryBytes: undefined };
const noWatch = { traces: false, trustTraceparent: false, accessLog: false };
const defaultMetrics = {
  metrics: true,
  metricsToken: undefined,
  metricsLimits: 0,
  genAiNames: "v1.41",
  ...noWatch,
};

Deno.test("readConfig gives every setting its default", () => {
  assert.deepEqual({ ...read(), settings: [] }, {
    settings: [],
    dataFolder: "./data",
    ...unset,
    host: "127.0.0.1",
    port: 8787,
    byokProviders: undefined,
    catalogFile: undefined,
    fusionPresets,
    masterKey: undefined,
    local: true,
    faultLab: false,
    trustProxy: { type: "hops", hops: 0 },
    fetch: { allowHttp: false, allowedHosts: [] },
    guardrailHeaders: new Map(),
    search: new Map(),
    ...noRouters,
    ...defaultMetrics,
    proxies: { https: undefined, http: undefined, exempt: [] },
    cors: { type: "any" },
    ...atStart,
    limits: {
      maxBodyBytes: 33_554_432,
      bodyMs: 30_000,
      maxResponseBytes: 134_217_728,
      maxFileBytes: 104_857_600,
      uploadMs: 600_000,
      ...fileBytes,
      connectMs: 10_000,
      ...firstByte,
      idleMs: 120_000,
      streamMs: 3_600_000,
      wholeResponseMs: 600_000,
      streamedLoopMs: 1_800_000,
      wholeLoopMs: 600_000,
      loopTurns: 200,
      toolMs: 120_000,
      heartbeatMs: 10_000,
      writeStallMs: 60_000,
      attempts: 4,
      failedKeysPerMinute: 60,
      storeMs: 2_000,
      defaultOutputTokens: 8_192,
      reservationWaitMs: 5_000,
      maxQueuedReservations: 1_000,
      drainMs: 25_000,
      ...kept,
      connections: 2_016,
    },
    sandbox: defaultSandbox,
    warnings: [],
    defaultModel: undefined,
    aliases: {},
    providers: [],
    models: [],
    newMasterKey: undefined,
    providerEnv: new Map(),
  });
});

Deno.test("readConfig reads what is set of containers, and switches them off on Deno Deploy", () => {
  const sandbox = { processes: 3, spare: "off", memory_mib: 256, keep_days: 1, python_packages: [] };
  const config = readFile({ sandbox }, { TOLLGATE_SANDBOX: "off" });
  const { engine, processes, spare, memoryMib, keepMs, pythonPackages } = config.sandbox;
  assert.deepEqual(
    { engine, processes, spare, memoryMib, keepMs, pythonPackages },
    { engine: "off", processes: 3, spare: false, memoryMib: 256, keepMs: 86_400_000, pythonPackages: [] },
  );
  assert.equal(read({ DENO_DEPLOY: "true" }).sandbox.engine, "off");
  const engineOf = (file: string, env = {}) => readFile({ sandbox: { engine: file } }, env).sandbox.engine;
  assert.deepEqual([read({}).sandbox.engine, engineOf("virtual")], ["auto", "virtual"]);
  const wheel = { file: "wheels/a.whl", sha256: "0".repeat(64) };
  const { wheels } = readFile({ sandbox: { root: "/srv/root", python_wheels: [wheel] } }).sandbox;
  assert.deepEqual(wheels.map(({ path }) => path), ["wheels/a.whl"]);
  for (
    const sandbox of [{ root: "srv" }, { root: "/srv/../etc" }, {
      python_wheels: [{ ...wheel, sha256: "0" }],
    }]
  ) {
    assert.throws(() => readFile({ sandbox }), /sandbox\.(?:root|python_wheels)/);
  }
  assert.equal(engineOf("virtual", { TOLLGATE_SANDBOX: "bubblewrap" }), "bubblewrap");
  assert.match(
    sentenceOf(() => read({ TOLLGATE_SANDBOX: "docker" })),
    /TOLLGATE_SANDBOX is "docker": allowed is/,
  );
});

Deno.test("readConfig takes the database that Deno Deploy assigns, and no other program's", () => {
  const DATABASE_URL = "postgres://user:secret@db.example.com:5432/app-production?sslmode=require";
  const databaseOf = (env: Readonly<Record<string, string>>) =>
    read({ DATABASE_URL, ...env }).store?.database;
  assert.equal(databaseOf({}), undefined);
  assert.equal(databaseOf({ DENO_DEPLOY: "true" }), "app-production");
  assert.equal(databaseOf({ DENO_DEPLOY: "true", TOLLGATE_STORE: "postgres://u:p@host/own" }), "own");
  assert.doesNotThrow(() => read({ DATABASE_URL: "mysql://host/database" }));
  assert.match(
    sentenceOf(() => read({ DENO_DEPLOY: "true", DATABASE_URL: "mysql://host/database" })),
    /^DATABASE_URL is not usable|^DATABASE_URL is /,
  );
});

Deno.test("readConfig keeps files in the store on Deno Deploy, and none larger than is written in time", () => {
  const MIB = 1024 * 1024;
  const placeOf = (env: Readonly<Record<string, string>>, limits = {}) => {
    const config = readFile({ limits }, env);
    return [config.blobs, config.limits.maxFileBytes / MIB];
  };
  assert.deepEqual(placeOf({}), [undefined, 100]);
  assert.deepEqual(placeOf({ DENO_DEPLOY: "true" }), ["store", 32]);
  assert.deepEqual(placeOf({ TOLLGATE_BLOBS: "store" }, { file_bytes: MIB }), ["store", 1]);
  assert.deepEqual(placeOf({ DENO_DEPLOY: "true", TOLLGATE_BLOBS: "off" }), ["off", 100]);
  const bucket = { bucket: "files", prefix: "", region: "us-east-1" };
  assert.deepEqual(placeOf({ DENO_DEPLOY: "true", TOLLGATE_BLOBS: "s3://files" }), [bucket, 100]);
});

Deno.test("readConfig reads every setting", () => {
  const config = read({
    TOLLGATE_DATA: " /var/lib/tollgate ",
    HOST: "[::1]",
    PORT: "0",
    TOLLGATE_MANAGEMENT_KEY: "m".repeat(32),
    TOLLGATE_API_KEY: "a".repeat(32),
    TOLLGATE_MASTER_KEY: btoa("k".repeat(32)),
    TOLLGATE_LOCAL: "off",
    TOLLGATE_FAULT_LAB: "on",
    TOLLGATE_TRUST_PROXY: "10.0.0.0/8, fd00::/8,192.0.2.1",
    TOLLGATE_CORS: "https://app.example.com,http://localhost:3000",
    LOG_FORMAT: "pretty",
    LOG_LEVEL: "debug",
    DENO_DEPLOY: "true",
    ACME_API_KEY: "secret",
    OLLAMA_BASE_URL: "http://127.0.0.1:11434/v1/",
    UNRELATED: "x",
  });
  assert.equal(config.dataFolder, "/var/lib/tollgate");
  assert.deepEqual([config.host, config.port], ["::1", 0]);
  assert.equal(config.masterKey?.length, 32);
  assert.deepEqual([config.local, config.faultLab, config.deploy], [false, true, true]);
  assert.deepEqual(config.trustProxy, { type: "ranges", ranges: ["10.0.0.0/8", "fd00::/8", "192.0.2.1"] });
  assert.deepEqual(config.cors, {
    type: "list",
    origins: ["https://app.example.com", "http://localhost:3000"],
  });
  assert.deepEqual(config.log, { format: "pretty", level: "debug" });
  assert.equal(config.limits.drainMs, 4_000);
  assert.deepEqual([...config.providerEnv], [["ACME_API_KEY", "secret"], [
    "OLLAMA_BASE_URL",
    "http://127.0.0.1:11434/v1",
  ]]);
});

Deno.test("readConfig leaves each connection a file for its provider's, and 64 others", () => {
  const connections = (files: string, text = "{}") =>
    readFile(text, { TOLLGATE_FILE_LIMIT: files }).limits.connections;
  assert.equal(connections("256"), 96);
  assert.equal(connections("1048576"), 524_256);
  assert.equal(connections("unlimited"), 524_256);
  assert.equal(connections("10"), 1);
  const text = `{ "limits": { "connections": 100 } }`;
  assert.equal(connections("1024", text), 100);
  assert.equal(connections("256", text), 96, "no more than the files allow");
  assert.throws(() => connections("many"), /TOLLGATE_FILE_LIMIT is "many": allowed is a number of files/);
});

Deno.test("readConfig takes a variable that is set to nothing as not set", () => {
  assert.deepEqual(read({ PORT: "", TOLLGATE_LOCAL: " ", ACME_API_KEY: "" }), read());
});

Deno.test("readConfig takes the pretty log at a terminal, and on for a well-known address", () => {
  assert.equal(readConfig({ ...source(), terminal: true }, []).log.format, "pretty");
  assert.equal(
    read({ OLLAMA_BASE_URL: "on" }).providerEnv.get("OLLAMA_BASE_URL"),
    "http://127.0.0.1:11434/v1",
  );
  assert.deepEqual(read({ TOLLGATE_TRUST_PROXY: "2" }).trustProxy, { type: "hops", hops: 2 });
  assert.deepEqual(read({ TOLLGATE_CORS: "off" }).cors, { type: "off" });
});

Deno.test("readConfig names a broken setting, what it was and what is allowed", () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ PORT: "70000" }, 'PORT is "70000": allowed is a port from 0 to 65535 (0 takes any free one)'],
    [{ PORT: "1e3" }, 'PORT is "1e3": allowed is a port from 0 to 65535 (0 takes any free one)'],
    [
      { HOST: "a:b" },
      'HOST is "a:b": allowed is an address or a host name without a port, such as 127.0.0.1 or 0.0.0.0',
    ],
    [{ TOLLGATE_LOCAL: "yes" }, 'TOLLGATE_LOCAL is "yes": allowed is on or off'],
    [{ LOG_LEVEL: "loud" }, 'LOG_LEVEL is "loud": allowed is debug, info, warn or error'],
    [{ LOG_FORMAT: "xml" }, 'LOG_FORMAT is "xml": allowed is pretty or json'],
    [
      { TOLLGATE_TRUST_PROXY: "10.0.0.0/33" },
      'TOLLGATE_TRUST_PROXY is "10.0.0.0/33": allowed is a number of proxies from 0 to 16, or address ranges such as 10.0.0.0/8,fd00::/8',
    ],
    [
      { TOLLGATE_CORS: "https://a.example/path" },
      'TOLLGATE_CORS is "https://a.example/path": allowed is *, off, or origins such as https://app.example.com,http://localhost:3000',
    ],
    [
      { OLLAMA_BASE_URL: "localhost" },
      'OLLAMA_BASE_URL is "localhost": allowed is an address such as https://host.example.com/v1, without user, query or fragment, or on for http://127.0.0.1:11434/v1',
    ],
    [
      { TOLLGATE_API_KEY: "m".repeat(32), TOLLGATE_MANAGEMENT_KEY: "m".repeat(32) },
      "TOLLGATE_API_KEY is the same as TOLLGATE_MANAGEMENT_KEY: two different keys are needed",
    ],
  ];
  for (const [env, sentence] of cases) assert.equal(sentenceOf(() => read(env)), sentence);
});

Deno.test("readConfig never quotes a secret", () => {
  const secret = "hunter2-é";
  for (const name of ["TOLLGATE_API_KEY", "TOLLGATE_MANAGEMENT_KEY", "TOLLGATE_MASTER_KEY", "ACME_API_KEY"]) {
    const sentence = sentenceOf(() => read({ [name]: secret }));
    assert.ok(sentence.startsWith(`${name} is not usable (9 characters): allowed is `), sentence);
    assert.ok(!sentence.includes("hunter2"));
  }
  assert.match(sentenceOf(() => read({ TOLLGATE_API_KEY: "short" })), /32 to 512 characters/);
  assert.match(
    sentenceOf(() => read({ TOLLGATE_MASTER_KEY: btoa("short") })),
    /32 random bytes in base64, 44 characters/,
  );
  const provider = {
    id: "acme",
    wire: "chat",
    base_url: "https://a.example",
    headers: { "x-key": "hunter2\n" },
  };
  assert.ok(!sentenceOf(() => readFile({ providers: [provider] })).includes("hunter2"));
  const misplaced = { id: "acme", wire: "chat", base_url: "https://a.example", api_key_env: "sk-hunter2" };
  assert.ok(!sentenceOf(() => readFile({ providers: [misplaced] })).includes("hunter2"));
});

const acme = {
  id: "acme",
  wire: "chat",
  base_url: "https://api.acme.example/v1/",
  api_key_env: "ACME_KEY",
  models: [{ id: "acme/llama", pricing: { prompt: "0.0000002", completion: "0.0000006" } }],
};

Deno.test("readConfig reads the file's providers, aliases and limits", () => {
  const text = `{
    // Comments and trailing commas are fine.
    "providers": [${JSON.stringify(acme)}],
    "default_model": "acme/llama",
    "aliases": { "fast": "acme/llama", "safe": ["acme/llama", "acme/other"] },
    "limits": { "body_bytes": 1048576, "silence_seconds": 1.5, "drain_seconds": 2, },
  }`;
  const config = readFile(text, { ACME_KEY: "secret" });
  assert.equal(config.defaultModel, "acme/llama");
  assert.deepEqual(config.aliases, { fast: ["acme/llama"], safe: ["acme/llama", "acme/other"] });
  assert.deepEqual([config.limits.maxBodyBytes, config.limits.idleMs, config.limits.drainMs], [
    1_048_576,
    1_500,
    2_000,
  ]);
  const [provider] = config.providers;
  assert.equal(provider?.base_url, "https://api.acme.example/v1");
  assert.equal(provider?.models[0]?.input_modalities, undefined, "left to the catalog");
  assert.equal(config.providerEnv.get("ACME_KEY"), "secret");
});

Deno.test("readConfig names the file's line and column when it is not JSON", () => {
  assert.equal(
    sentenceOf(() => readFile('{\n  "providers": [}\n}')),
    "gate.jsonc, line 2, column 17: this is not JSON with comments (value expected)",
  );
  assert.match(sentenceOf(() => readFile("{")), /^gate\.jsonc, line 1, column 2: .*\(close brace expected\)/);
});

Deno.test("readConfig takes a model or a list of models for an alias, and names the place of another", () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ aliases: { fast: "llama" } }, /aliases\.fast is "llama": a model id is/],
    [{ aliases: { fast: ["acme/llama", "llama"] } }, /aliases\.fast\[1\] is "llama": a model id is/],
    [{ aliases: { fast: [] } }, /aliases\.fast is \[\]: /],
    [
      { aliases: { fast: Array(17).fill("a/b") } },
      /aliases\.fast is \[.*: a model id, or a list of up to 16/,
    ],
    [{ aliases: { fast: 7 } }, /aliases\.fast is 7: a model id, or a list of up to 16 of them/],
    [{ aliases: { fast: [7] } }, /aliases\.fast is \[7\]: a model id, or a list of up to 16 of them/],
  ];
  for (const [file, sentence] of cases) assert.match(sentenceOf(() => readFile(file)), sentence);
});

Deno.test("readConfig names the place in the file, what stood there and what is allowed", () => {
  const model = acme.models[0];
  const withModel = (change: object) => ({ providers: [{ ...acme, models: [{ ...model, ...change }] }] });
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[], /^gate\.jsonc: the file is \[\]: expected object, received array$/],
    [
      { provders: [] },
      /^gate\.jsonc: provders is unknown: the keys here are providers, default_model, aliases, byok_providers, catalog, models, fetch, search, moderation, routing, auto, scores, fusion, limits, alerts, sandbox$/,
    ],
    [
      { providers: [{ ...acme, base_ur: "x" }] },
      /^gate\.jsonc: providers\[0\]\.base_ur is unknown: the keys here are id, name, wire, base_url, /,
    ],
    [{ providers: [{ ...acme, base_url: undefined }] }, /providers\[0\]\.base_url is missing: /],
    [
      { providers: [{ ...acme, base_url: "ftp://x" }] },
      /providers\[0\]\.base_url is "ftp:\/\/x": an http or https address/,
    ],
    [
      { providers: [{ ...acme, wire: "soap" }] },
      /providers\[0\]\.wire is "soap": expected one of "responses"\|"chat"/,
    ],
    [{ providers: [{ ...acme, id: "Acme Inc" }] }, /providers\[0\]\.id is "Acme Inc": lower-case letters/],
    [withModel({ id: "llama" }), /providers\[0\]\.models\[0\]\.id is "llama": a model id is author\/slug/],
    [withModel({ context_length: "8k" }), /models\[0\]\.context_length is "8k": expected number/],
    [
      withModel({ pricing: { prompt: 0.1, completion: "0" } }),
      /models\[0\]\.pricing\.prompt is 0\.1: expected string/,
    ],
    [
      withModel({ pricing: { prompt: "1e-6", completion: "0" } }),
      /pricing\.prompt is "1e-6": a price is a decimal number in quotes/,
    ],
    ...["https://wiki.corp", "wiki.corp/path", "user@wiki.corp", "Wiki.corp", "*.corp", "::1", ""].map((
      host,
    ): readonly [unknown, RegExp] => [
      { fetch: { allowed_hosts: ["good", host] } },
      /fetch\.allowed_hosts\[1\] is .*: the host of an address/,
    ]),
    [{ fetch: { allow_https: true } }, /fetch\.allow_https is unknown: the keys here are allow_http/],
    [{ limits: { body_bytes: -1 } }, /limits\.body_bytes is -1: /],
    [{ limits: { body_mb: 1 } }, /limits\.body_mb is unknown: the keys here are body_bytes/],
    [{ providers: [acme, acme] }, /providers\[1\]\.id is "acme" a second time/],
    [
      { providers: [{ ...acme, models: [model, model] }] },
      /providers\[0\]\.models\[1\]\.id is "acme\/llama" a second time/,
    ],
  ];
  for (const [file, sentence] of cases) {
    assert.match(sentenceOf(() => readFile(file, { ACME_KEY: "k" })), sentence);
  }
});

Deno.test("readConfig refuses a file that cannot be read and a provider without its key, P8", () => {
  const missing = sentenceOf(() => readConfig(source({ TOLLGATE_CONFIG: "gone.jsonc" }), []));
  assert.equal(missing, 'TOLLGATE_CONFIG is "gone.jsonc", which cannot be read: No such file: gone.jsonc');
  assert.match(
    sentenceOf(() => readFile({ providers: [acme] })),
    /providers\[0\]\.api_key_env is ACME_KEY, which is not set/,
  );
});

Deno.test("settingsTable names every setting once", () => {
  const table = settingsTable(providerSettings);
  const names = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  assert.deepEqual(names, [...new Set(names)]);
  for (const name of ["TOLLGATE_DATA", "PORT", "LOG_LEVEL", "ACME_API_KEY", "OLLAMA_BASE_URL"]) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(!names.includes("DENO_DEPLOY"));
});

Deno.test({
  name: "processConfigSource says which variable may not be read",
  permissions: { env: ["PORT"] },
  fn: () => {
    const { env, names } = processConfigSource();
    env("PORT");
    assert.match(
      sentenceOf(() => env("ACME_KEY")),
      /^ACME_KEY may not be read: start with it in --allow-env$/,
    );
    assert.equal(env("PORT_FILE"), undefined, "the variable alone is allowed, without that of its file");
    assert.deepEqual(names?.(), []);
  },
});

Deno.test("tollgate.example.jsonc is a configuration that starts", async () => {
  const text = await Deno.readTextFile(new URL("../../tollgate.example.jsonc", import.meta.url));
  const names = [...text.matchAll(/"api_key_env": "(\w+)"/g)].map(([, name = ""]) => [name, "secret"]);
  const config = readFile(text, Object.fromEntries(names));
  assert.ok(config.providers.length >= 2);
  assert.ok(config.providers.some(({ models }) => models.some(({ pricing }) => pricing !== undefined)));
});

Deno.test("tollgate.example.jsonc and docs/errors.md name every limit", async () => {
  const example = await Deno.readTextFile(new URL("../../tollgate.example.jsonc", import.meta.url));
  const errors = await Deno.readTextFile(new URL("../../docs/errors.md", import.meta.url));
  for (const [name, field] of Object.entries(limitsSchema.shape)) {
    assert.ok(example.includes(`"${name}": `), `${name} is missing in tollgate.example.jsonc`);
    assert.ok(errors.includes(`\`${name}\``), `${name} is missing in docs/errors.md`);
    const { success, data } = field.safeParse(undefined);
    // What depends on something else is a comment.
    if (success && data !== undefined) {
      assert.ok(example.includes(`"${name}": ${data}`), `${name} is ${data}`);
    }
  }
});
