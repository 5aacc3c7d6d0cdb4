/** Texts of the gateway on standard output: how it is used, and where it listens once it has started. */

import type { ProviderSetting } from "./provider_setting.ts";
import { settingsTable } from "./shown/settings_table.ts";

export function helpText(version: string, providerSettings: readonly ProviderSetting[]): string {
  return `Tollgate ${version}: a self-hosted gateway for AI model providers.

  deno task start            start the gateway; settings: environment and the file TOLLGATE_CONFIG
  deno task start --help     show this help
  deno task start --version  show the version
  deno task admin recover    create a management key (gateway stopped)
  deno task admin reencrypt  re-encrypt stored provider keys with a new master key (gateway stopped)
  deno task admin            run management operations on the running gateway
  deno task doctor           check settings, store, providers, prices and clock; test that limits hold
  deno task backup [FILE]    back up the store to a file (gateway may run)
  deno task restore FILE     restore a backup (gateway stopped)
  deno task import-litellm   write the configuration file of a LiteLLM proxy, and bring its teams and keys
  deno task compact          free the disk space of deleted records (gateway stopped)
  deno task migrate          migrate the store to this version's schema (--dry-run: show changes only)

${settingsTable(providerSettings)}
`;
}

export interface Banner {
  readonly version: string;
  /** Where the server listens. */
  readonly hostname: string;
  readonly port: number;
  /** Texts of the keys that were made just now, and are never shown again. */
  readonly managementKey?: string;
  readonly apiKey?: string;
  /** Whether there is a console to show. */
  readonly hasConsole: boolean;
  /** Token of the link that opens the console once. */
  readonly consoleToken?: string;
  /** The file that has the keys and the link, where they are not shown. */
  readonly keyFile?: string;
  /** A model that answers without an account. */
  readonly model?: string;
}

/** Listening on every network is listening on the loopback too, which is where a newcomer tries it. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** `http://127.0.0.1:8787` */
export function gatewayUrl({ hostname, port }: Pick<Banner, "hostname" | "port">): string {
  const host = everywhere.has(hostname) ? "127.0.0.1" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function bannerText(banner: Banner): string {
  const { version, hostname, keyFile, model } = banner;
  const apiKey = keyFile === undefined ? banner.apiKey : undefined;
  const address = gatewayUrl(banner);
  const lines = [
    `Tollgate ${version} listens on ${address}${
      everywhere.has(hostname) ? ` (and on every other address of this machine)` : ""
    }`,
  ];
  lines.push(...newKeyLines(banner), ...consoleLines(banner));
  const whose = apiKey !== undefined
    ? ""
    : keyFile === undefined
    ? ", with an API key in API_KEY"
    : ", with the API key of that file in API_KEY";
  if (model !== undefined) {
    lines.push("", `Try it${whose}:`, "", renderCurlExample({ address, apiKey, model }));
  }
  return `${lines.join("\n")}\n\n`;
}

/** Lines with the console's address, and the link where there is one. */
export function consoleLines(
  banner: Pick<Banner, "hostname" | "port" | "hasConsole" | "consoleToken" | "keyFile">,
): readonly string[] {
  if (!banner.hasConsole) return ["Console: none, because it is not built; deno task build:console says why"];
  const address = `${gatewayUrl(banner)}/console`;
  const { consoleToken, keyFile } = banner;
  if (keyFile !== undefined && consoleToken !== undefined) {
    return [
      `Console: ${address} (the file has a link that signs in once, within 10 minutes, on this machine)`,
    ];
  }
  if (consoleToken === undefined) return [`Console: ${address} (sign in with the management key)`];
  return [
    `Console: ${address}#${consoleToken}`,
    "This link signs in once, within 10 minutes, on this machine.",
  ];
}

/** Lines with the keys that a first start has made, or with their file; none where it made none. */
export function newKeyLines(
  { managementKey, apiKey, keyFile }: Pick<Banner, "managementKey" | "apiKey" | "keyFile">,
): readonly string[] {
  if (managementKey === undefined && apiKey === undefined) return [];
  if (keyFile !== undefined) {
    return [`New keys: ${keyFile}`, "Only this user may read the file. Save its keys, then delete it."];
  }
  return [
    ...(managementKey === undefined ? [] : [`Management key: ${managementKey}`]),
    ...(apiKey === undefined ? [] : [`API key: ${apiKey}`]),
    "Save these keys now: they are shown once; only their hashes are stored.",
  ];
}

interface Curl {
  readonly address: string;
  readonly apiKey?: string;
  readonly model: string;
}

function renderCurlExample({ address, apiKey = "$API_KEY", model }: Curl): string {
  const body = JSON.stringify({ model, input: "Hello", stream: true });
  return [
    `  curl -N ${address}/v1/responses \\`,
    `    -H "Authorization: Bearer ${apiKey}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '${body}'`,
  ].join("\n");
}
