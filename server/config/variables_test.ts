import assert from "node:assert/strict";
import { providerSettings } from "../providers/mod.ts";
import { ConfigError } from "./config_error.ts";
import { type ConfigSource, readConfig } from "./config.ts";
import { envSettings } from "./env_settings.ts";
import { readablePaths } from "./process/permissions.ts";
import { serviceSettings } from "./search_settings.ts";
import { readVariable } from "./variables.ts";

const account = JSON.stringify({ client_email: "me@x.iam", private_key: "-----BEGIN PRIVATE KEY-----" });

/** Texts for the settings that take no plain word. */
const texts: Readonly<Record<string, string>> = {
  TOLLGATE_STORE: "postgres://me:secret@db:5432/tollgate",
  TOLLGATE_BLOBS: "s3://bucket/prefix?region=eu-west-1",
  PORT: "9000",
  TOLLGATE_MANAGEMENT_KEY: "m".repeat(40),
  TOLLGATE_API_KEY: "a".repeat(40),
  TOLLGATE_MASTER_KEY: new Uint8Array(32).toBase64(),
  TOLLGATE_NEW_MASTER_KEY: new Uint8Array(32).fill(1).toBase64(),
  TOLLGATE_PEER_URL: "http://10.0.0.5:8787",
  TOLLGATE_LOCAL: "off",
  TOLLGATE_FAULT_LAB: "on",
  TOLLGATE_SANDBOX: "off",
  TOLLGATE_TRUST_PROXY: "1",
  HTTPS_PROXY: "http://proxy:3128",
  HTTP_PROXY: "http://proxy:3128",
  TOLLGATE_CORS: "https://app.example.com",
  TOLLGATE_METRICS: "off",
  TOLLGATE_METRICS_TOKEN: "a-token-of-32-characters-or-more",
  OTEL_SEMCONV_STABILITY_OPT_IN: "http, gen_ai_latest_experimental",
  TOLLGATE_METRICS_LIMITS: "100",
  OTEL_DENO: "true",
  TOLLGATE_TRUST_TRACEPARENT: "on",
  TOLLGATE_ACCESS_LOG: "on",
  LOG_FORMAT: "pretty",
  LOG_LEVEL: "debug",
  TOLLGATE_WARM_UP: "off",
  TOLLGATE_FILE_LIMIT: "1000",
  DENO_DEPLOY: "1",
  VERTEX_SERVICE_ACCOUNT: account,
  AZURE_SPEECH_REGION: "westeurope",
};

const settings = [...Object.values(envSettings), ...providerSettings, ...serviceSettings].map((setting) => ({
  name: setting.name,
  text: texts[setting.name] ??
    ("kind" in setting && setting.kind === "base_url" ? "https://host.example.com/v1" : "a-text"),
}));

function source(
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): ConfigSource {
  return {
    env: (name) => env[name],
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Deno.errors.NotFound(`No such file: ${path}`);
      return text;
    },
    terminal: false,
  };
}

Deno.test("every setting is read from the file that its _FILE names as from the variable", () => {
  for (const { name, text } of settings) {
    const files = { "/run/secrets/x": `\n${text}\r\n`, "a-text": '{"default_model": "local/echo"}' };
    const direct = readConfig(source({ [name]: text }, files), providerSettings);
    const named = readConfig(source({ [`${name}_FILE`]: "/run/secrets/x" }, files), providerSettings);
    // Managers are told which of the two it was.
    assert.deepEqual({ ...named, settings: [] }, { ...direct, settings: [] }, name);
    assert.notDeepEqual(
      { ...direct, warnings: [], settings: [] },
      { ...readConfig(source({}), providerSettings), settings: [] },
      `${name}: the text is not the default`,
    );
  }
});

Deno.test("the gateway may read the file of every setting, and of the variables of its configuration file", async () => {
  const config = JSON.stringify({
    providers: [{ id: "acme", api_key_env: "ACME_KEY" }],
    fetch: { header_env: ["FILTER_TOKEN"] },
    catalog: { file: "snapshot.json" },
  });
  for (const { name } of settings) {
    const paths = await readablePaths({
      ...source({ [`${name}_FILE`]: "/run/secrets/x" }),
      providerSettings,
    });
    assert.ok(paths.includes("/run/secrets/x"), name);
  }
  const env = {
    TOLLGATE_CONFIG_FILE: "/name",
    ACME_KEY_FILE: "/run/acme",
    FILTER_TOKEN_FILE: "/run/token",
    TOLLGATE_DATA_FILE: "/folder",
  };
  const files = { "/name": "/etc/gate.jsonc\n", "/etc/gate.jsonc": config, "/folder": "/srv/data\n" };
  const paths = await readablePaths({ ...source(env, files), providerSettings });
  const expected = ["/srv/data", "/etc/gate.jsonc", "snapshot.json", "/etc/snapshot.json"];
  assert.deepEqual(paths, [...expected, "/folder", "/name", "/run/acme", "/run/token"]);
});

Deno.test("what is wrong with a file of a setting is one sentence, and the permissions are made all the same", async () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ LOG_LEVEL: "info", LOG_LEVEL_FILE: "/level" }, /^LOG_LEVEL and LOG_LEVEL_FILE are both set: /],
    [
      { LOG_LEVEL_FILE: "/gone" },
      /^LOG_LEVEL_FILE is "\/gone", which cannot be read: there is no such file or folder$/,
    ],
    [{ LOG_LEVEL_FILE: "/empty" }, /^LOG_LEVEL_FILE is "\/empty", which is empty: /],
    [{ TOLLGATE_DATA_FILE: "/gone" }, /^TOLLGATE_DATA_FILE is "\/gone", which cannot be read/],
    [{ TOLLGATE_CONFIG_FILE: "/gone" }, /^TOLLGATE_CONFIG_FILE is "\/gone", which cannot be read/],
    [
      { LOG_LEVEL_FILE: "/loud" },
      /^LOG_LEVEL is not usable \(4 characters in the file of LOG_LEVEL_FILE\): allowed is debug, /,
    ],
  ];
  for (const [env, sentence] of cases) {
    const from = source(env, { "/level": "info", "/empty": " \n", "/loud": "loud" });
    const fault = (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, sentence);
      return true;
    };
    assert.throws(() => readConfig(from, providerSettings), fault);
    assert.ok((await readablePaths({ ...from, providerSettings })).includes("./data"));
  }
});

Deno.test("readVariable says why a file cannot be read without the words of the run-time", () => {
  const causes: readonly (readonly [Error, string])[] = [
    [new Deno.errors.NotFound("os error 2"), "there is no such file or folder"],
    [new Deno.errors.IsADirectory("os error 21"), "it is a folder"],
    [new Deno.errors.PermissionDenied("os error 13"), "this user may not read or write it"],
    [
      new Deno.errors.NotCapable("run again with --allow-read"),
      "was started without the permission to read or write it",
    ],
  ];
  for (const [cause, words] of causes) {
    const readFile = () => {
      throw cause;
    };
    const env = (name: string) => name === "PORT_FILE" ? "/port" : undefined;
    assert.throws(() => readVariable({ env, readFile }, "PORT"), ({ message }: Error) => {
      assert.ok(message.includes(words) && !message.includes(cause.message), message);
      return true;
    });
  }
});

Deno.test("no error shows what stands in the file of a setting, whichever setting it is", () => {
  const secret = "planted-secret-9f8e7d6c5b";
  const own = Object.values(envSettings).map(({ name }) => name);
  const names = [...own, ...providerSettings.map(({ name }) => name)];
  let refused = 0;
  for (const name of names) {
    const from = source({ [`${name}_FILE`]: "/secret" }, { "/secret": secret });
    try {
      readConfig(from, providerSettings);
    } catch (error) {
      assert.ok(error instanceof ConfigError, name);
      // Two settings are themselves the path of a file or folder, which the error has to name.
      if (!["TOLLGATE_CONFIG"].includes(name)) assert.ok(!error.message.includes(secret), error.message);
      refused++;
    }
  }
  assert.ok(refused > 20, `${refused} of ${names.length} refuse it`);
});

const addressSettings = settings.filter(({ name, text }) =>
  /^(?:https?|s3):/.test(text) || /HOST|CORS/.test(name)
);

/** Addresses as people write a secret into them. */
const planted: readonly ((secret: string) => string)[] = [
  (secret) => `https://user:${secret}@host.example.com/v1`,
  (secret) => `https://${secret}@host.example.com/v1`,
  (secret) => `https://host.example.com/v1?api-key=${secret}`,
  (secret) => `https://host.example.com/v1#${secret}`,
  (secret) => `https://host.example.com:99999/v1;key=${secret}`,
  (secret) => `https://user:${secret}%40host.example.com/v1`,
  (secret) => `user:${secret}@host.example.com`,
  (secret) => `s3://user:${secret}@bucket`,
];

/** The start error with this environment; undefined where it is right. */
function startError(env: Readonly<Record<string, string>>): string | undefined {
  try {
    readConfig(source(env), providerSettings);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
}

Deno.test("no start error shows a secret that was written into an address, whichever setting it is", () => {
  const secret = "planted-secret-9f8e7d6c5b";
  assert.ok(addressSettings.length > 20, `${addressSettings.length} settings`);
  for (const { name } of addressSettings) {
    for (const plant of planted) {
      const input = plant(secret);
      const message = startError({ [name]: input });
      // Proxies may have a user.
      if (message === undefined && /^HTTPS?_PROXY$/.test(name)) continue;
      const start = `${name} is not usable (${input.length} characters): allowed is`;
      assert.ok(message?.startsWith(start) && !message.includes(secret), message ?? `${name}: ${input}`);
    }
  }
});

/** Parts of a configuration file that have an address in them. */
const fileAddresses: readonly ((address: string) => unknown)[] = [
  (base_url) => ({ providers: [{ id: "acme", wire: "chat", base_url }] }),
  (url) => ({ routing: { scores: { url, sha256: "0" } } }),
  (url) => ({ routing: { market: url } }),
  (host) => ({ fetch: { allowed_hosts: [host] } }),
  (python_index) => ({ sandbox: { python_index: `ftp:${python_index}` } }),
];

Deno.test("no start error shows a secret that was written into an address of the configuration file", () => {
  const secret = "planted-secret-9f8e7d6c5b";
  for (const [at, place] of fileAddresses.entries()) {
    for (const plant of planted) {
      const files = { "gate.jsonc": JSON.stringify(place(plant(secret))) };
      const from = source({ TOLLGATE_CONFIG: "gate.jsonc" }, files);
      assert.throws(() => readConfig(from, providerSettings), ({ message }: Error) => {
        assert.ok(message.startsWith("gate.jsonc: ") && !message.includes(secret), `${at}: ${message}`);
        return true;
      });
    }
  }
});
