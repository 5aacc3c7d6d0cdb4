/** Every setting of the environment, as one table: README's is made from it. */

import type { LogLevel } from "../runtime.ts";
import { type BlobsPlace, parseBlobsPlace } from "./blobs_address.ts";
import type { SettingResult } from "./config_error.ts";
import { dataFolderSetting } from "./data_folder.ts";
import { parseNoProxy, parseProxy, type ProxyAddress } from "./proxies.ts";
import { type SandboxEngine, sandboxEngines } from "./sandbox_settings.ts";
import { parseStoreAddress, type PostgresAddress } from "./store_address.ts";
import {
  type CorsPolicy,
  fileCount,
  parseCorsPolicy,
  parseHostname,
  parseLimitCount,
  parseMasterKey,
  parseOneOf,
  parseOperatorKey,
  parseOrigin,
  parsePort,
  parseProxyTrust,
  parseSemconvOptIn,
  parseSwitch,
  parseText,
  type ProxyTrust,
} from "./setting_parsers.ts";

export interface EnvSetting<T> {
  readonly name: string;
  /** Another spelling, which counts where the name is not set. */
  readonly alias?: string;
  readonly description: string;
  /** The default in words; absent for what the platform sets and nobody needs to know. */
  readonly display?: string;
  /** Never quoted. */
  readonly secret?: true;
  /** The value when the variable is not set. */
  readonly fallback: T;
  readonly parse: (input: string) => SettingResult<T>;
}

/** Keeps what `parse` gives apart from what stands in for it. */
function defineSetting<T>(row: EnvSetting<T>): EnvSetting<T> {
  return row;
}

const anyPage: CorsPolicy = { type: "any" };
const noProxy: ProxyTrust = { type: "hops", hops: 0 };

export const envSettings = {
  dataFolder: defineSetting<string>({
    ...dataFolderSetting,
    description: "folder of the embedded store",
    display: `\`${dataFolderSetting.fallback}\``,
    parse: parseText,
  }),
  store: defineSetting<PostgresAddress | undefined>({
    name: "TOLLGATE_STORE",
    description: "PostgreSQL database that several gateways share, instead of the embedded store: " +
      "`postgres://user:password@host:5432/database`; an empty database is enough. On Deno Deploy the `DATABASE_URL` " +
      "of an assigned one counts where this is not set",
    display: "embedded; on Deno Deploy the assigned KV database",
    secret: true,
    fallback: undefined,
    parse: parseStoreAddress,
  }),
  blobs: defineSetting<BlobsPlace | undefined>({
    name: "TOLLGATE_BLOBS",
    description: "where the bytes of files are, instead of the data folder: an S3 bucket, " +
      "`s3://bucket/prefix?region=eu-west-1`, with `endpoint=https://host` for a service other than AWS; `store`, " +
      "among the records of the store; or `off`, and no files are taken",
    display: "`blobs` in `TOLLGATE_DATA`; on Deno Deploy `store`",
    fallback: undefined,
    parse: parseBlobsPlace,
  }),
  configFile: defineSetting<string | undefined>({
    name: "TOLLGATE_CONFIG",
    description: "JSONC file with providers, models, prices and limits, see `tollgate.example.jsonc`",
    display: "none",
    fallback: undefined,
    parse: parseText,
  }),
  host: defineSetting<string>({
    name: "HOST",
    description: "address to listen on; `0.0.0.0` for every network of the machine",
    display: "`127.0.0.1`",
    fallback: "127.0.0.1",
    parse: parseHostname,
  }),
  port: defineSetting<number>({
    name: "PORT",
    description: "port to listen on",
    display: "`8787`",
    fallback: 8787,
    parse: parsePort,
  }),
  managementKey: defineSetting<string | undefined>({
    name: "TOLLGATE_MANAGEMENT_KEY",
    description:
      "the management key, instead of a generated one; a changed one replaces it (at least 32 characters)",
    display: "generated",
    secret: true,
    fallback: undefined,
    parse: parseOperatorKey,
  }),
  apiKey: defineSetting<string | undefined>({
    name: "TOLLGATE_API_KEY",
    description: "the first API key, likewise",
    display: "generated",
    secret: true,
    fallback: undefined,
    parse: parseOperatorKey,
  }),
  masterKey: defineSetting<Uint8Array | undefined>({
    name: "TOLLGATE_MASTER_KEY",
    description:
      "32 bytes in base64 that encrypt stored provider keys and what destinations are configured by; needed for them with PostgreSQL and on Deno Deploy",
    display: "made at first use, `master.key` in `TOLLGATE_DATA`",
    secret: true,
    fallback: undefined,
    parse: parseMasterKey,
  }),
  newMasterKey: defineSetting<Uint8Array | undefined>({
    name: "TOLLGATE_NEW_MASTER_KEY",
    description: "for `deno task admin reencrypt` alone: the master key that takes the other one's place",
    display: "none",
    secret: true,
    fallback: undefined,
    parse: parseMasterKey,
  }),
  instanceUrl: defineSetting<string | undefined>({
    name: "TOLLGATE_PEER_URL",
    description: "address at which the other gateways on a shared store reach this one, such as " +
      "`http://10.0.0.5:8787`: commands in a container that one of them has at work are then run there",
    display: "none",
    fallback: undefined,
    parse: parseOrigin,
  }),
  local: defineSetting<boolean>({
    name: "TOLLGATE_LOCAL",
    description: "`on` or `off`: the built-in simulated models `local/echo`, `local/image` and `local/voice`",
    display: "`on`",
    fallback: true,
    parse: parseSwitch,
  }),
  sandboxEngine: defineSetting<SandboxEngine | undefined>({
    name: "TOLLGATE_SANDBOX",
    description:
      "`auto`, `bubblewrap` (Linux), `virtual` or `off`: what runs the commands of models in containers, if anything",
    display: "`sandbox.engine`, else `auto`",
    fallback: undefined,
    parse: parseOneOf(sandboxEngines),
  }),
  faultLab: defineSetting<boolean>({
    name: "TOLLGATE_FAULT_LAB",
    description: "`on` or `off`: models `fault/…` that fail on purpose, to test fallbacks against",
    display: "`off`",
    fallback: false,
    parse: parseSwitch,
  }),
  trustProxy: defineSetting<ProxyTrust>({
    name: "TOLLGATE_TRUST_PROXY",
    description: "number of proxies in front whose `X-Forwarded-For` is believed, or their address ranges",
    display: "`0`",
    fallback: noProxy,
    parse: parseProxyTrust,
  }),
  httpsProxy: defineSetting<ProxyAddress | undefined>({
    name: "HTTPS_PROXY",
    alias: "https_proxy",
    description: "proxy for calls to `https:` addresses: `http://user:password@host:port`",
    display: "none",
    secret: true,
    fallback: undefined,
    parse: parseProxy,
  }),
  httpProxy: defineSetting<ProxyAddress | undefined>({
    name: "HTTP_PROXY",
    alias: "http_proxy",
    description: "proxy for calls to `http:` addresses, likewise",
    display: "none",
    secret: true,
    fallback: undefined,
    parse: parseProxy,
  }),
  noProxy: defineSetting<readonly string[]>({
    name: "NO_PROXY",
    alias: "no_proxy",
    description: "what is reached without a proxy: names with all below them, addresses, ranges such as " +
      "`10.0.0.0/8`, each with an optional port, or `*`; this machine always is",
    display: "none",
    fallback: [],
    parse: parseNoProxy,
  }),
  cors: defineSetting<CorsPolicy>({
    name: "TOLLGATE_CORS",
    description: "pages that may call from a browser: `*`, a list of origins, or `off`",
    display: "`*`",
    fallback: anyPage,
    parse: parseCorsPolicy,
  }),
  metrics: defineSetting<boolean>({
    name: "TOLLGATE_METRICS",
    description: "`on` or `off`: `GET /metrics` for Prometheus",
    display: "`on`",
    fallback: true,
    parse: parseSwitch,
  }),
  metricsToken: defineSetting<string | undefined>({
    name: "TOLLGATE_METRICS_TOKEN",
    description: "lets a scraper read `GET /metrics` and nothing else, instead of a management key " +
      "(at least 32 characters)",
    display: "none",
    secret: true,
    fallback: undefined,
    parse: parseOperatorKey,
  }),
  metricsLimits: defineSetting<number>({
    name: "TOLLGATE_METRICS_LIMITS",
    description: "number of limits of keys and workspaces that `GET /metrics` names, up to 1000: those of " +
      "which the least is left",
    display: "`0`",
    fallback: 0,
    parse: parseLimitCount,
  }),
  genAiNames: defineSetting<"v1.41" | "latest">({
    name: "OTEL_SEMCONV_STABILITY_OPT_IN",
    description: "list of words; with `gen_ai_latest_experimental` calls of models are told under " +
      "OpenTelemetry's newest names, else under those of 1.41",
    display: "none",
    fallback: "v1.41",
    parse: parseSemconvOptIn,
  }),
  traces: defineSetting<boolean>({
    name: "OTEL_DENO",
    description: "`true`: Deno exports traces to `OTEL_EXPORTER_OTLP_ENDPOINT`, and requests are traced",
    display: "off",
    fallback: false,
    parse: (input) => ({ value: input === "true" || input === "1" }),
  }),
  trustTraceparent: defineSetting<boolean>({
    name: "TOLLGATE_TRUST_TRACEPARENT",
    description: "`on` or `off`: whether a request's span belongs to the trace that its client names",
    display: "`off`",
    fallback: false,
    parse: parseSwitch,
  }),
  accessLog: defineSetting<boolean>({
    name: "TOLLGATE_ACCESS_LOG",
    description: "`on` or `off`: a line of the log for every request",
    display: "`off`",
    fallback: false,
    parse: parseSwitch,
  }),
  logFormat: defineSetting<"pretty" | "json" | undefined>({
    name: "LOG_FORMAT",
    description: "`pretty` or `json`",
    display: "`pretty` at a terminal, else `json`",
    fallback: undefined,
    parse: parseOneOf(["pretty", "json"]),
  }),
  logLevel: defineSetting<LogLevel>({
    name: "LOG_LEVEL",
    description: "`debug`, `info`, `warn` or `error`",
    display: "`info`",
    fallback: "info",
    parse: parseOneOf(["debug", "info", "warn", "error"]),
  }),
  warmUp: defineSetting<boolean>({
    name: "TOLLGATE_WARM_UP",
    description: "`on` or `off`: a start answers requests of its own first, for up to 0.4 s, so that the " +
      "first ones of clients are as quick as later ones; nothing is kept of them",
    display: "`on`; on Deno Deploy always `off`",
    fallback: true,
    parse: parseSwitch,
  }),
  fileLimit: defineSetting<number>({
    name: "TOLLGATE_FILE_LIMIT",
    description: "how many files the process may have open; set by `deno task start`",
    // The smallest limit that Linux has by default, once Deno has raised it as far as it may.
    fallback: 4_096,
    parse: fileCount,
  }),
  deploy: defineSetting<boolean>({
    name: "DENO_DEPLOY",
    description: "set by Deno Deploy",
    fallback: false,
    parse: (input) => ({ value: input === "true" || input === "1" }),
  }),
} as const;

/** The PostgreSQL database that Deno Deploy has assigned: another one for production, each branch and previews. */
export const assignedStore: EnvSetting<PostgresAddress | undefined> = {
  ...envSettings.store,
  name: "DATABASE_URL",
};

export type EnvSettingValues = {
  readonly [K in keyof typeof envSettings]: (typeof envSettings)[K] extends EnvSetting<infer T> ? T : never;
};
