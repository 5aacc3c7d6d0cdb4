/** Environment and configuration file → Config, once. No other file reads the environment. */

import type { SettingDescription } from "../../shared/management/gateway/settings.ts";
import type { FusionPresets } from "../../shared/fields/fusion.ts";
import type { ProviderSetting } from "./provider_setting.ts";
import {
  type ConfigFile,
  type ModelCorrection,
  parseConfigFile,
  parseJsonc,
  type ProviderRow,
  type SearchEngineRow,
} from "./config_file.ts";
import { alertVariables, type AlertWebhook, readAlerts } from "./web/alert_settings.ts";
import { type GatewayLimits, parseLimits } from "./limits.ts";
import { ConfigError } from "./config_error.ts";
import type { FetchSettings } from "./web/fetch_settings.ts";
import { headerText, keyNamesOf, readNamedKeys } from "./keys/provider_keys.ts";
import { assignedStore, type EnvSetting, envSettings, type EnvSettingValues } from "./env_settings.ts";
import type { BlobsPlace } from "./blobs_address.ts";
import { moderationKeyName, type ModerationSettings, parseModeration } from "./moderation_settings.ts";
import { parseRouters, type RouterSettings } from "./routers/routing_settings.ts";
import { parseSandbox, type SandboxSettings } from "./sandbox_settings.ts";
import { serviceSettings } from "./search_settings.ts";
import { describeSettings } from "./shown/describe_settings.ts";
import { halfSetWarnings, instanceUrlWarnings, unknownSettingWarnings } from "./setting_warnings.ts";
import type { PostgresAddress } from "./store_address.ts";
import type { ProxySettings } from "./proxies.ts";
import { type CorsPolicy, parseBaseUrl, type ProxyTrust } from "./setting_parsers.ts";
import type { LogLevel } from "../runtime.ts";
import {
  describeValue,
  MOST_SECRET_BYTES,
  namedPath,
  readBeside,
  readCatalog,
  readNamedText,
  readVariable,
  type VariableSource,
} from "./variables.ts";

export { ConfigError };
export type { CorsPolicy, GatewayLimits, ProviderRow, ProxyTrust };
export type { ModelCorrection, ModelRow } from "./config_file.ts";

export interface Config extends RouterSettings {
  /** Folder of the embedded store. */
  readonly dataFolder: string;
  /** The database that is the store; undefined for the embedded one. */
  readonly store?: PostgresAddress;
  /** Where the bytes of files are; undefined for the data folder. */
  readonly blobs?: BlobsPlace;
  readonly host: string;
  readonly port: number;
  readonly managementKey?: string;
  readonly apiKey?: string;
  /** 32 bytes from which the keys that encrypt stored secrets are derived. */
  readonly masterKey?: Uint8Array;
  /** The one that stored secrets are moved to. */
  readonly newMasterKey?: Uint8Array;
  /** Origin at which other gateways on the same store reach this one. */
  readonly instanceUrl?: string;
  /** Whether the built-in `local/…` models are there, and the `fault/…` models. */
  readonly local: boolean;
  readonly faultLab: boolean;
  readonly trustProxy: ProxyTrust;
  readonly cors: CorsPolicy;
  /** On the way out, to providers and to what callers name. */
  readonly proxies: ProxySettings;
  /** Whether `GET /metrics` is served, who reads it besides managers, and how calls of models are named there. */
  readonly metrics: boolean;
  readonly metricsToken?: string;
  /** How many limits of keys and workspaces it names. */
  readonly metricsLimits: number;
  readonly genAiNames: "v1.41" | "latest";
  /** Whether requests are traced, and whether a client's trace is continued. */
  readonly traces: boolean;
  readonly trustTraceparent: boolean;
  /** Whether the log has a line for every request. */
  readonly accessLog: boolean;
  readonly log: { readonly format: "pretty" | "json"; readonly level: LogLevel };
  /** Whether a start warms up before it takes requests. */
  readonly warmUp: boolean;
  /** True on Deno Deploy: output is kept, files are not, the store is assigned. */
  readonly deploy: boolean;
  /** Addresses that may be fetched besides public `https:` ones. */
  readonly fetch: FetchSettings;
  /** Values that guardrails may send to their services as `authorization`, by the variable's name. */
  readonly guardrailHeaders: ReadonlyMap<string, string>;
  readonly limits: GatewayLimits;
  readonly sandbox: SandboxSettings;
  readonly defaultModel?: string;
  /** Name that callers use → ids of the models that it stands for, the one that is tried first in front. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** Providers of the configuration file. */
  readonly providers: readonly ProviderRow[];
  /** Services that are off and that workspaces may reach with keys of their own; undefined: all of them. */
  readonly byokProviders?: readonly string[];
  /** The catalog that the configuration file names, read and not yet checked. */
  readonly catalogFile?: { readonly path: string; readonly json: unknown };
  /** Corrections of what the catalog says of models. */
  readonly models: readonly ModelCorrection[];
  /** Rows of the configuration file for search engines, by their ids. */
  readonly search: ReadonlyMap<string, SearchEngineRow>;
  /** The service that judges what requests send; undefined: there is none. */
  readonly moderation?: ModerationSettings;
  /** Where alerts are sent; undefined: nowhere, and none are raised. */
  readonly alertWebhook?: AlertWebhook;
  readonly fusionPresets: FusionPresets;
  /** Keys and base URLs of providers and search engines, by the variable's name; those that are set. */
  readonly providerEnv: ReadonlyMap<string, string>;
  /** Sentences about variables that are set and have no effect. */
  readonly warnings: readonly string[];
  /** Every setting by its name, without secrets, for managers. */
  readonly settings: readonly SettingDescription[];
}

/** Where settings come from. */
export interface ConfigSource extends VariableSource {
  /** Names of all variables that are set. */
  readonly names?: () => readonly string[];
  /** True when the log is read by somebody at a terminal. */
  readonly terminal: boolean;
}

/** Throws a ConfigError: one sentence that names the setting or the place in the file, and what is allowed. */
export function readConfig(source: ConfigSource, providerSettings: readonly ProviderSetting[]): Config {
  const env = readSettings(source);
  const file = readFile(source, env.configFile);
  if (env.managementKey !== undefined && env.managementKey === env.apiKey) {
    throw new ConfigError(
      "TOLLGATE_API_KEY is the same as TOLLGATE_MANAGEMENT_KEY: two different keys are needed",
    );
  }
  const { logFormat, logLevel, configFile: _file, fileLimit: _limit, ...more } = env;
  const { sandboxEngine, httpsProxy, httpProxy, noProxy, ...rest } = more;
  const providerEnv = new Map([
    ...readProviderSettings(source, [...providerSettings, ...serviceSettings]),
    ...readNamedKeys(source, file.providers),
  ]);
  return {
    ...rest,
    proxies: { https: httpsProxy, http: httpProxy, exempt: noProxy },
    log: { format: logFormat ?? (source.terminal ? "pretty" : "json"), level: logLevel },
    ...readAddressed(source, file),
    limits: parseLimits(file.limits, env),
    sandbox: parseSandbox(file.sandbox, { ...env, engine: sandboxEngine }),
    defaultModel: file.default_model,
    aliases: file.aliases,
    providers: file.providers,
    byokProviders: file.byok_providers,
    catalogFile: readCatalog(source, { path: file.catalog.file, beside: env.configFile }),
    ...parseRouters(file, (setting, path) => readBeside(source, { setting, path, beside: env.configFile })),
    fusionPresets: file.fusion.presets,
    models: file.models,
    search: new Map(Object.entries(file.search)),
    ...readModeration(source, { file, local: env.local }),
    providerEnv,
    warnings: [
      ...unknownSettingWarnings(source.names?.() ?? [], knownNames({ providerSettings, file })),
      ...instanceUrlWarnings(env),
      ...halfSetWarnings([...providerSettings, ...serviceSettings], (name) => providerEnv.has(name)),
    ],
    settings: describe(source, { providerSettings, file, path: env.configFile }),
  };
}

interface NamedSettings {
  readonly providerSettings: readonly ProviderSetting[];
  readonly file: ConfigFile;
}

/** The variables that are read, with those that the configuration file names. */
function knownNames({ providerSettings, file }: NamedSettings): readonly string[] {
  const own = Object.values<EnvSetting<unknown>>(envSettings).flatMap(({ name, alias }) => [name, alias]);
  const ofServices = [...providerSettings, ...serviceSettings].map(({ name }) => name);
  return [...own, ...namedVariables(file), ...ofServices].filter((name) => name !== undefined);
}

/** Variables that the configuration file names; each holds a secret. */
function namedVariables({ providers, fetch, moderation, alerts }: ConfigFile): readonly string[] {
  const more = [moderation && moderationKeyName(moderation), ...alertVariables(alerts)];
  return [...providers.flatMap(keyNamesOf).map(([, name]) => name), ...fetch.header_env, ...more]
    .filter((name) => name !== undefined);
}

function readAddressed(source: ConfigSource, file: ConfigFile) {
  const fetch = { allowHttp: file.fetch.allow_http, allowedHosts: file.fetch.allowed_hosts };
  return { fetch, guardrailHeaders: readGuardrailHeaders(source, file), ...readAlerts(source, file.alerts) };
}

function readGuardrailHeaders(source: ConfigSource, { fetch }: ConfigFile): Map<string, string> {
  return new Map(fetch.header_env.map((name, at) => {
    const value = readVariable(source, name);
    if (value !== undefined) return [name, value];
    throw new ConfigError(`fetch.header_env[${at}] is ${name}, which is not set`);
  }));
}

function readModeration(
  source: ConfigSource,
  { file: { moderation }, local }: { readonly file: ConfigFile; readonly local: boolean },
): Pick<Config, "moderation"> {
  if (moderation === undefined) return {};
  const keyOf = (name: string) => {
    const input = readVariable(source, name);
    return input && headerText(name, input);
  };
  return { moderation: parseModeration(moderation, { local, keyOf }) };
}

function readSettings(source: ConfigSource): EnvSettingValues {
  const rows = Object.entries<EnvSetting<unknown>>(envSettings);
  const values = rows.map(([key, setting]) => [key, readSetting(source, setting)]);
  const env = toSettingValues(Object.fromEntries(values));
  if (!env.deploy) return env;
  const store = env.store ?? readSetting(source, assignedStore);
  return { ...env, store, blobs: env.blobs ?? "store", warmUp: false };
}

/** Every entry was read by the setting of its own name. */
function toSettingValues(values: unknown): EnvSettingValues {
  return values as EnvSettingValues;
}

function readSetting<T>(
  source: ConfigSource,
  { name, alias = name, secret, fallback, parse }: EnvSetting<T>,
): T {
  const input = readVariable(source, name) ?? readVariable(source, alias);
  if (input === undefined) return fallback;
  const reading = parse(input);
  if ("value" in reading) return reading.value;
  const was = describeValue(source, { names: [name, alias], input, secret });
  throw new ConfigError(`${name} is ${was}: allowed is ${reading.allowed}`);
}

function readFile(source: ConfigSource, path: string | undefined): ConfigFile {
  if (path === undefined) return parseConfigFile("", "{}");
  return parseConfigFile(path, readNamedText(source, { name: "TOLLGATE_CONFIG", path }));
}

interface DescribedInput extends NamedSettings {
  /** The configuration file's. */
  readonly path: string | undefined;
}

function describe(source: ConfigSource, { providerSettings, file, path }: DescribedInput) {
  const written = path === undefined
    ? {}
    : parseJsonc(path, readNamedText(source, { name: "TOLLGATE_CONFIG", path }));
  return describeSettings(source, {
    providerSettings: [...providerSettings, ...serviceSettings],
    namedSecrets: namedVariables(file),
    file: { path, written, parsed: file },
  });
}

function readProviderSettings(
  source: ConfigSource,
  providerSettings: readonly ProviderSetting[],
): readonly (readonly [string, string])[] {
  return providerSettings.flatMap((setting) => {
    const input = readVariable(source, setting.name);
    return input === undefined ? [] : [[setting.name, providerValue(source, { setting, input })] as const];
  });
}

interface RawValues {
  readonly setting: ProviderSetting;
  readonly input: string;
}

function providerValue(source: ConfigSource, { setting, input }: RawValues): string {
  const { name, kind, defaultValue } = setting;
  if (kind === "key" || kind === "text") return validateConfig(setting, headerText(name, input));
  if (kind === "document") return document(source, { setting, input });
  if (input === "on" && defaultValue !== undefined) return defaultValue;
  const reading = parseBaseUrl(input);
  if ("value" in reading) return reading.value;
  const more = defaultValue === undefined ? "" : `, or on for ${defaultValue}`;
  const was = describeValue(source, { names: [name], input });
  throw new ConfigError(`${name} is ${was}: allowed is ${reading.allowed}${more}`);
}

/** A JSON text, or what stands in the file of that path. */
function document(source: ConfigSource, { setting, input }: RawValues): string {
  const { name } = setting;
  const isText = input.startsWith("{") || namedPath(source, name) !== undefined;
  return validateConfig(
    setting,
    isText ? input : readNamedText(source, { name, path: input, mostBytes: MOST_SECRET_BYTES }),
  );
}

function validateConfig({ name, check }: ProviderSetting, text: string): string {
  const allowed = check?.(text);
  if (allowed === undefined) return text;
  throw new ConfigError(`${name} is not usable (${text.length} characters): allowed is ${allowed}`);
}
