import assert from "node:assert/strict";
import type { SettingDescription } from "../../../../shared/management/gateway/settings.ts";
import { readConfig } from "../../../config/config.ts";
import { envSettings } from "../../../config/env_settings.ts";
import type { ProviderSetting } from "../../../config/provider_setting.ts";
import { serviceSettings } from "../../../config/search_settings.ts";
import { providerSettings } from "../../../providers/mod.ts";
import { createInstallationSource } from "./installation.ts";

/** Secret that no pattern knows, and one that looks like a key, for what is shown. */
const PLAIN = "planted0123456789Secret";
const KEY = "sk-planted-0123456789";

/** Value of each setting with a secret in it; null where it takes no text that could hold one. */
const planted: { readonly [K in keyof typeof envSettings]: string | null } = {
  dataFolder: `/tmp/${KEY}`,
  store: `postgres://user:${PLAIN}@localhost/db`,
  blobs: `s3://bucket/${KEY}`,
  configFile: `/etc/${KEY}.jsonc`,
  host: null,
  port: null,
  managementKey: `${PLAIN}-management-key-0123456789`,
  apiKey: `${PLAIN}-api-key-0123456789-0123456789`,
  masterKey: btoa("PlantedMasterKey0123456789abcdef"),
  newMasterKey: btoa("PlantedNewKey-0123456789abcdef-0"),
  instanceUrl: `http://${KEY}.corp:8787`,
  local: null,
  sandboxEngine: null,
  faultLab: null,
  trustProxy: null,
  httpsProxy: `http://user:${PLAIN}@localhost:1`,
  httpProxy: `http://${PLAIN}:x@localhost:1`,
  noProxy: `${KEY}.corp`,
  cors: `https://${KEY}.example`,
  metrics: null,
  metricsToken: `${PLAIN}-metrics-token-0123456789`,
  // Words of OpenTelemetry that are not ours are shown as they are.
  genAiNames: null,
  metricsLimits: null,
  traces: null,
  trustTraceparent: null,
  accessLog: null,
  logFormat: null,
  logLevel: null,
  warmUp: null,
  fileLimit: null,
  deploy: null,
};

/** A configuration file with a secret wherever its schema takes a text. */
const file = {
  providers: [{
    id: "acme",
    name: `Acme ${KEY}`,
    wire: "chat",
    base_url: `https://acme.example/${KEY}`,
    api_key_env: "ACME_SECRET",
    headers: { "x-team": PLAIN, authorization: `Bearer ${PLAIN}` },
    region: KEY,
    quirks: {
      pass_keys: [KEY],
      omit: [KEY],
      rename: { a: PLAIN },
      efforts: { high: PLAIN },
      service_tiers: { priority: PLAIN },
      extra_body: { token: PLAIN, deep: [{ key: PLAIN }, [PLAIN]], constructor: PLAIN },
    },
    models: [{ id: "acme/one", description: PLAIN, upstream_id: PLAIN }],
  }],
  aliases: { [KEY]: `acme/${KEY}` },
  default_model: `acme/${KEY}`,
  models: [{ id: "acme/two", description: PLAIN }],
  fetch: { allowed_hosts: ["wiki.corp"], header_env: ["HOOK_SECRET"] },
  search: { exa: { base_url: `https://exa.example/${KEY}` } },
  moderation: {
    wire: "policy",
    base_url: `https://judge.example/${KEY}`,
    api_key_env: "JUDGE_SECRET",
    model: KEY,
    name: KEY,
    policy: PLAIN,
  },
  alerts: { webhook: { url: `https://alerts.example/${KEY}?${PLAIN}`, secret_env: "ALERT_SECRET" } },
  auto: { default_models: [`acme/${KEY}`] },
  sandbox: { python_index: `https://user:${PLAIN}@pypi.example/simple?token=${PLAIN}#${PLAIN}` },
  limits: { attempts: 2 },
} as const;

const byKind: { readonly [K in ProviderSetting["kind"]]: string } = {
  key: PLAIN,
  text: KEY,
  base_url: `https://one.example/${KEY}`,
  document: JSON.stringify({
    type: "service_account",
    project_id: "p",
    client_email: "a@b.example",
    private_key: `-----BEGIN ${PLAIN}`,
  }),
};

/** Variables whose own check refuses any text that could hold a secret. */
const isTaken = ({ check, kind }: ProviderSetting): boolean => check?.(byKind[kind]) === undefined;

function sourceOf(env: Readonly<Record<string, string>>, content: unknown = {}) {
  const text = JSON.stringify(content);
  const config = readConfig(
    { env: (name) => env[name], readFile: () => text, terminal: false },
    providerSettings,
  );
  return createInstallationSource({ config });
}

const settingsOf = (...input: Parameters<typeof sourceOf>) => sourceOf(...input).settings();

const rows = [...providerSettings, ...serviceSettings];
const everything: Readonly<Record<string, string>> = {
  ...Object.fromEntries(rows.filter(isTaken).map(({ name, kind }) => [name, byKind[kind]])),
  ...Object.fromEntries(
    Object.entries(planted).flatMap(([key, value]) =>
      value === null ? [] : [[envSettings[key as keyof typeof envSettings].name, value]]
    ),
  ),
  ACME_SECRET: PLAIN,
  HOOK_SECRET: PLAIN,
  JUDGE_SECRET: PLAIN,
  ALERT_SECRET: `whsec_${btoa("0123456789abcdef01234567")}`,
};

const named = (settings: readonly SettingDescription[], name: string) =>
  settings.find((setting) => setting.name === name);

Deno.test("no secret of any setting is shown, wherever it was planted", () => {
  const settings = settingsOf(everything, file);
  const text = JSON.stringify(settings);
  for (const secret of [PLAIN, KEY, "planted-0123456789", planted.masterKey, planted.newMasterKey]) {
    assert.equal(text.includes(secret ?? ""), false, secret ?? "");
  }
  for (const name of Object.keys(everything)) assert(named(settings, name), `${name} is told of`);
  for (const { name, secret, value } of settings) {
    if (secret) assert(value === "set" || value === "not set", name);
  }
  assert.equal(named(settings, "providers[0].headers.x-team")?.value, "set");
  assert.equal(named(settings, "providers[0].quirks.extra_body.deep[0].key")?.value, "set");
  assert.equal(
    named(settings, "sandbox.python_index")?.value,
    "https://[redacted]@pypi.example/simple?[redacted]",
  );
});

Deno.test("neither the address of the store nor the data folder shows a secret", () => {
  const database = `postgres://${PLAIN}:${PLAIN}@localhost/${KEY}`;
  for (const [name, value] of [["TOLLGATE_STORE", database], ["TOLLGATE_DATA", `/srv/${KEY}`]] as const) {
    const { storeAddress = "", dataFolder = "" } = sourceOf({ [name]: value });
    for (const secret of [PLAIN, KEY]) {
      assert.equal(`${storeAddress} ${dataFolder}`.includes(secret), false, storeAddress);
    }
  }
  assert.equal(sourceOf({ TOLLGATE_STORE: "postgres://u:p@h/d" }).storeAddress, "h:5432/d");
});

Deno.test("a secret that another setting repeats is cut out of it", () => {
  const settings = settingsOf({ OPENAI_API_KEY: PLAIN, TOLLGATE_DATA: `/srv/${PLAIN}/data` });
  assert.equal(named(settings, "TOLLGATE_DATA")?.value, "/srv/[redacted]/data");
});

Deno.test("each setting tells its value and where it came from", () => {
  const env = { TOLLGATE_CONFIG: "/etc/gate.jsonc", PORT: "9000", https_proxy: "http://localhost:1" };
  const settings = settingsOf(env, { limits: { attempts: 2 }, aliases: { fast: "local/echo" } });
  const told = (name: string) => {
    const { value, source } = named(settings, name) ?? {};
    return [value, source?.type, source?.name];
  };
  assert.deepEqual(told("PORT"), ["9000", "environment", "PORT"]);
  assert.deepEqual(told("HOST"), [null, "default", null]);
  assert.equal(named(settings, "HOST")?.default, "127.0.0.1");
  assert.deepEqual(told("HTTPS_PROXY"), ["set", "environment", "https_proxy"]);
  assert.deepEqual(told("OPENAI_API_KEY"), ["not set", "default", null]);
  assert.deepEqual(told("limits.attempts"), [2, "file", "/etc/gate.jsonc"]);
  assert.deepEqual(told("limits.heartbeat_seconds"), [10, "default", null]);
  assert.deepEqual(told("aliases.fast"), ["local/echo", "file", "/etc/gate.jsonc"]);
});
