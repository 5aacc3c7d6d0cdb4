/** Every setting of the environment, as one table: README's is made from it. */

import type { LogLevel } from "../runtime.ts";
import type { Reading } from "./config_error.ts";
import { type PostgresAddress, storeAddress } from "./store_address.ts";
import {
  cors,
  type CorsPolicy,
  fileCount,
  host,
  masterKey,
  oneOf,
  onOff,
  ownKey,
  port,
  type ProxyTrust,
  proxyTrust,
  text,
} from "./setting_parsers.ts";

export interface Setting<T> {
  readonly name: string;
  readonly meaning: string;
  /** The default in words; absent for what the platform sets and nobody needs to know. */
  readonly shown?: string;
  /** Never quoted. */
  readonly secret?: true;
  /** The value when the variable is not set. */
  readonly fallback: T;
  readonly parse: (given: string) => Reading<T>;
}

/** Keeps what `parse` gives apart from what stands in for it. */
function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

const anyPage: CorsPolicy = { type: "any" };
const noProxy: ProxyTrust = { type: "hops", hops: 0 };

export const settings = {
  dataFolder: setting<string>({
    name: "TOLLGATE_DATA",
    meaning: "folder of the embedded store",
    shown: "`./data`",
    fallback: "./data",
    parse: text,
  }),
  store: setting<PostgresAddress | undefined>({
    name: "TOLLGATE_STORE",
    meaning: "PostgreSQL database that several gateways share, instead of the embedded store: " +
      "`postgres://user:password@host:5432/database`; an empty database is enough",
    shown: "embedded",
    secret: true,
    fallback: undefined,
    parse: storeAddress,
  }),
  configFile: setting<string | undefined>({
    name: "TOLLGATE_CONFIG",
    meaning: "JSONC file with providers, models, prices and limits, see `tollgate.example.jsonc`",
    shown: "none",
    fallback: undefined,
    parse: text,
  }),
  host: setting<string>({
    name: "HOST",
    meaning: "address to listen on; `0.0.0.0` for every network of the machine",
    shown: "`127.0.0.1`",
    fallback: "127.0.0.1",
    parse: host,
  }),
  port: setting<number>({
    name: "PORT",
    meaning: "port to listen on",
    shown: "`8787`",
    fallback: 8787,
    parse: port,
  }),
  managementKey: setting<string | undefined>({
    name: "TOLLGATE_MANAGEMENT_KEY",
    meaning:
      "the management key, instead of a generated one; a changed one replaces it (at least 32 characters)",
    shown: "generated",
    secret: true,
    fallback: undefined,
    parse: ownKey,
  }),
  apiKey: setting<string | undefined>({
    name: "TOLLGATE_API_KEY",
    meaning: "the first API key, likewise",
    shown: "generated",
    secret: true,
    fallback: undefined,
    parse: ownKey,
  }),
  masterKey: setting<Uint8Array | undefined>({
    name: "TOLLGATE_MASTER_KEY",
    meaning:
      "32 bytes in base64 that encrypt stored provider keys; needed for them with PostgreSQL and on Deno Deploy",
    shown: "made at first use, `master.key` in `TOLLGATE_DATA`",
    secret: true,
    fallback: undefined,
    parse: masterKey,
  }),
  newMasterKey: setting<Uint8Array | undefined>({
    name: "TOLLGATE_NEW_MASTER_KEY",
    meaning: "for `deno task admin reencrypt` alone: the master key that takes the other one's place",
    shown: "none",
    secret: true,
    fallback: undefined,
    parse: masterKey,
  }),
  local: setting<boolean>({
    name: "TOLLGATE_LOCAL",
    meaning: "`on` or `off`: the built-in simulated models `local/echo`, `local/image` and `local/voice`",
    shown: "`on`",
    fallback: true,
    parse: onOff,
  }),
  faultLab: setting<boolean>({
    name: "TOLLGATE_FAULT_LAB",
    meaning: "`on` or `off`: models `fault/…` that fail on purpose, to test fallbacks against",
    shown: "`off`",
    fallback: false,
    parse: onOff,
  }),
  trustProxy: setting<ProxyTrust>({
    name: "TOLLGATE_TRUST_PROXY",
    meaning: "number of proxies in front whose `X-Forwarded-For` is believed, or their address ranges",
    shown: "`0`",
    fallback: noProxy,
    parse: proxyTrust,
  }),
  cors: setting<CorsPolicy>({
    name: "TOLLGATE_CORS",
    meaning: "pages that may call from a browser: `*`, a list of origins, or `off`",
    shown: "`*`",
    fallback: anyPage,
    parse: cors,
  }),
  logFormat: setting<"pretty" | "json" | undefined>({
    name: "LOG_FORMAT",
    meaning: "`pretty` or `json`",
    shown: "`pretty` at a terminal, else `json`",
    fallback: undefined,
    parse: oneOf(["pretty", "json"]),
  }),
  logLevel: setting<LogLevel>({
    name: "LOG_LEVEL",
    meaning: "`debug`, `info`, `warn` or `error`",
    shown: "`info`",
    fallback: "info",
    parse: oneOf(["debug", "info", "warn", "error"]),
  }),
  fileLimit: setting<number>({
    name: "TOLLGATE_FILE_LIMIT",
    meaning: "how many files the process may have open; set by `deno task start`",
    // The smallest limit that Linux has by default, once Deno has raised it as far as it may.
    fallback: 4_096,
    parse: fileCount,
  }),
  deploy: setting<boolean>({
    name: "DENO_DEPLOY",
    meaning: "set by Deno Deploy",
    fallback: false,
    parse: (given) => ({ value: given === "true" || given === "1" }),
  }),
} as const;

export type SettingValues = {
  readonly [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never;
};
