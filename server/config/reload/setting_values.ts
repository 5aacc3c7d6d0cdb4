/** Settings by the names that operators know, to tell what a reload changes and what it cannot. */

import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config.ts";
import type { GatewayLimits } from "../limits.ts";

interface SettingValue {
  readonly value: unknown;
  /** Parts that were made of it at the start go on with what it was then. */
  readonly needsRestart: boolean;
}

type ValueOf = (config: Config) => ReadonlyMap<string, unknown>;

const single = (name: string, of: (config: Config) => unknown): ValueOf => (config) =>
  new Map([[name, of(config)]]);

const named =
  (prefix: string, of: (config: Config) => Iterable<readonly [string, unknown]>): ValueOf => (config) =>
    new Map([...of(config)].map(([name, value]) => [`${prefix}${name}`, value]));

/** The setting of the file behind each limit. */
const limitNames: { readonly [L in keyof Required<GatewayLimits>]: string } = {
  maxBodyBytes: "body_bytes",
  bodyMs: "body_seconds",
  maxFileBytes: "file_bytes",
  uploadMs: "upload_seconds",
  workspaceFileBytes: "workspace_file_bytes",
  storeFileBytes: "store_file_bytes",
  maxResponseBytes: "answer_bytes",
  connectMs: "connect_seconds",
  firstByteMs: "first_byte_seconds",
  ownFirstByteMs: "first_byte_seconds",
  idleMs: "silence_seconds",
  streamMs: "stream_seconds",
  wholeResponseMs: "answer_seconds",
  streamedLoopMs: "loop_seconds",
  wholeLoopMs: "loop_seconds",
  loopTurns: "loop_turns",
  toolMs: "tool_seconds",
  heartbeatMs: "heartbeat_seconds",
  writeStallMs: "unread_seconds",
  attempts: "attempts",
  failedKeysPerMinute: "failed_keys_per_minute",
  storeMs: "store_seconds",
  defaultOutputTokens: "default_output_tokens",
  reservationWaitMs: "reservation_seconds",
  maxQueuedReservations: "reservations_waiting",
  drainMs: "drain_seconds",
  connections: "connections",
  receiptMs: "receipt_days",
  memoryBytes: "memory_bytes",
};

/** Limits that the server, the store, the ledger and the connections to providers are made with. */
const fixedLimits: ReadonlySet<string> = new Set<keyof GatewayLimits>([
  "connectMs",
  "connections",
  "storeFileBytes",
  "writeStallMs",
  "storeMs",
  "reservationWaitMs",
  "maxQueuedReservations",
  "drainMs",
  "receiptMs",
]);

const limitsWhere = (isWanted: (limit: string) => boolean): ValueOf =>
  named(
    "limits.",
    ({ limits }) =>
      Object.entries(limits).filter(([limit]) => isWanted(limit)).map(([limit, value]) =>
        [toLimitName(limit), value] as const
      ),
  );

/** Every field of the limits has its name. */
function toLimitName(limit: string): string {
  return limitNames[limit as keyof GatewayLimits];
}

interface SettingRow {
  readonly values: ValueOf;
  readonly needsRestart?: true;
}

/** A row for every field of the settings; null for what the platform sets and what is no setting. */
const rows: { readonly [K in keyof Required<Config>]: SettingRow | null } = {
  dataFolder: { values: single("TOLLGATE_DATA", (config) => config.dataFolder), needsRestart: true },
  store: { values: single("TOLLGATE_STORE", (config) => config.store), needsRestart: true },
  blobs: { values: single("TOLLGATE_BLOBS", (config) => config.blobs), needsRestart: true },
  host: { values: single("HOST", (config) => config.host), needsRestart: true },
  port: { values: single("PORT", (config) => config.port), needsRestart: true },
  managementKey: { values: single("TOLLGATE_MANAGEMENT_KEY", (config) => config.managementKey) },
  apiKey: { values: single("TOLLGATE_API_KEY", (config) => config.apiKey) },
  masterKey: { values: single("TOLLGATE_MASTER_KEY", (config) => config.masterKey), needsRestart: true },
  newMasterKey: null,
  instanceUrl: { values: single("TOLLGATE_PEER_URL", (config) => config.instanceUrl), needsRestart: true },
  local: { values: single("TOLLGATE_LOCAL", (config) => config.local), needsRestart: true },
  faultLab: { values: single("TOLLGATE_FAULT_LAB", (config) => config.faultLab), needsRestart: true },
  trustProxy: { values: single("TOLLGATE_TRUST_PROXY", (config) => config.trustProxy) },
  cors: { values: single("TOLLGATE_CORS", (config) => config.cors) },
  proxies: {
    values: (config) =>
      new Map<string, unknown>([
        ["HTTPS_PROXY", config.proxies.https],
        ["HTTP_PROXY", config.proxies.http],
        ["NO_PROXY", config.proxies.exempt],
      ]),
    needsRestart: true,
  },
  metrics: { values: single("TOLLGATE_METRICS", (config) => config.metrics), needsRestart: true },
  metricsToken: { values: single("TOLLGATE_METRICS_TOKEN", (config) => config.metricsToken) },
  metricsLimits: { values: single("TOLLGATE_METRICS_LIMITS", (config) => config.metricsLimits) },
  genAiNames: {
    values: single("OTEL_SEMCONV_STABILITY_OPT_IN", (config) => config.genAiNames),
    needsRestart: true,
  },
  traces: { values: single("OTEL_DENO", (config) => config.traces), needsRestart: true },
  trustTraceparent: { values: single("TOLLGATE_TRUST_TRACEPARENT", (config) => config.trustTraceparent) },
  accessLog: { values: single("TOLLGATE_ACCESS_LOG", (config) => config.accessLog) },
  log: {
    values: ({ log }) => new Map([["LOG_FORMAT", log.format], ["LOG_LEVEL", log.level]]),
    needsRestart: true,
  },
  warmUp: { values: single("TOLLGATE_WARM_UP", (config) => config.warmUp), needsRestart: true },
  deploy: null,
  fetch: { values: single("fetch", (config) => config.fetch) },
  guardrailHeaders: { values: named("", (config) => config.guardrailHeaders) },
  limits: { values: limitsWhere((limit) => !fixedLimits.has(limit)) },
  sandbox: { values: single("sandbox", (config) => config.sandbox), needsRestart: true },
  defaultModel: { values: single("default_model", (config) => config.defaultModel) },
  aliases: { values: single("aliases", (config) => config.aliases) },
  providers: { values: named("providers.", ({ providers }) => providers.map((row) => [row.id, row])) },
  byokProviders: { values: single("byok_providers", (config) => config.byokProviders) },
  catalogFile: { values: single("catalog.file", (config) => config.catalogFile) },
  models: { values: single("models", (config) => config.models) },
  search: { values: named("search.", (config) => config.search) },
  moderation: { values: single("moderation", (config) => config.moderation) },
  alertWebhook: { values: single("alerts.webhook", (config) => config.alertWebhook) },
  fusionPresets: { values: single("fusion.presets", (config) => config.fusionPresets) },
  providerEnv: { values: named("", (config) => config.providerEnv) },
  warnings: null,
  settings: null,
  auto: { values: single("auto", (config) => config.auto) },
  routing: { values: single("routing", (config) => config.routing) },
  scores: { values: single("scores", (config) => config.scores) },
};

const fixedLimitValues: SettingRow = {
  values: limitsWhere((limit) => fixedLimits.has(limit)),
  needsRestart: true,
};

function valuesOf(config: Config): ReadonlyMap<string, SettingValue> {
  const all = [...Object.values(rows), fixedLimitValues].flatMap((row) =>
    row === null
      ? []
      : [...row.values(config)].map(([name, value]) =>
        [name, { value, needsRestart: row.needsRestart === true }] as const
      )
  );
  return new Map(all);
}

/** Names of the settings that need a restart; those of no parts alone. */
export const restartSettings = (config: Config): readonly string[] =>
  [...valuesOf(config)].flatMap(([name, { needsRestart }]) => needsRestart ? [name] : []);

interface SettingsDifference {
  /** Names of the settings that differ and can change while the gateway runs. */
  readonly changed: readonly string[];
  /** Names of those that differ and need a restart. */
  readonly restart: readonly string[];
}

/** Names, in order, what differs between two readings of the settings. Never their values. */
export function compareSettings(before: Config, after: Config): SettingsDifference {
  const [old, read] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...old.keys(), ...read.keys()])].sort()
    .filter((name) => !isDeepStrictEqual(old.get(name)?.value, read.get(name)?.value));
  const needsRestart = (name: string) => (old.get(name) ?? read.get(name))?.needsRestart === true;
  return { changed: names.filter((name) => !needsRestart(name)), restart: names.filter(needsRestart) };
}

/** The settings as they were read, but for what needs a restart: that stays as it is in force. */
export function keepFixedSettings(inForce: Config, read: Config): Config {
  const fixed = Object.entries(rows).filter(([, row]) => row?.needsRestart === true).map(([field]) => field);
  const kept = Object.entries(inForce).filter(([field]) => fixed.includes(field));
  const limits = Object.entries(inForce.limits).filter(([limit]) => fixedLimits.has(limit));
  const rest = Object.fromEntries(Object.entries(read).filter(([field]) => !fixed.includes(field)));
  return toConfig({
    ...rest,
    settings: keepDescriptions(inForce, read),
    ...Object.fromEntries(kept),
    limits: { ...read.limits, ...Object.fromEntries(limits) },
  });
}

/** Descriptions for managers, likewise. */
function keepDescriptions(inForce: Config, read: Config): Config["settings"] {
  const fixed = new Set(restartSettings(inForce));
  const before = new Map(inForce.settings.map((setting) => [setting.name, setting]));
  return read.settings.map((setting) => {
    const { name } = setting;
    return fixed.has(name) || fixed.has(name.split(".", 1)[0] ?? "") ? before.get(name) ?? setting : setting;
  });
}

/** Every field is that of one of two settings. */
function toConfig(fields: unknown): Config {
  return fields as Config;
}
