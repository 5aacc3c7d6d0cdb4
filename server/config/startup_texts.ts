/** What the gateway says on standard output: how it is used, and where it stands once it has started. */

import type { ProviderSetting } from "./config.ts";
import { settingsTable } from "./config.ts";

export function helpText(version: string, providerSettings: readonly ProviderSetting[]): string {
  return `Tollgate ${version}: a gateway in front of AI model providers.

  deno task start            serve; settings come from the environment and from the file TOLLGATE_CONFIG
  deno task start --help     this text
  deno task start --version  the version
  deno task admin recover    make one more management key; the gateway must be stopped
  deno task admin reencrypt  move stored provider keys to another master key; likewise
  deno task admin            the management operations of a gateway that runs
  deno task doctor           check settings, store, providers, prices and clock, and prove that limits hold
  deno task backup [FILE]    copy the store to a file, also while the gateway serves
  deno task restore FILE     put a backup in the store's place; the gateway must be stopped
  deno task compact          give the room of deleted records back; the gateway must be stopped
  deno task migrate          bring the store to this version's schema (--dry-run: only say what would change)

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
  /** A model that answers without an account. */
  readonly model?: string;
}

/** Listening on every network is listening on the loopback too, which is where a newcomer tries it. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** `http://127.0.0.1:8787` */
export function addressOf({ hostname, port }: Pick<Banner, "hostname" | "port">): string {
  const host = everywhere.has(hostname) ? "127.0.0.1" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function bannerText(banner: Banner): string {
  const { version, hostname, apiKey, model } = banner;
  const address = addressOf(banner);
  const lines = [
    `Tollgate ${version} listens on ${address}${
      everywhere.has(hostname) ? ` (and on every other address of this machine)` : ""
    }`,
  ];
  lines.push(...shownOnce(banner));
  if (model !== undefined) lines.push("", "Try it:", "", curlText({ address, apiKey, model }));
  return `${lines.join("\n")}\n\n`;
}

/** Lines with the keys that a first start has made; none where it made none. */
export function shownOnce(
  { managementKey, apiKey }: Pick<Banner, "managementKey" | "apiKey">,
): readonly string[] {
  if (managementKey === undefined && apiKey === undefined) return [];
  return [
    ...(managementKey === undefined ? [] : [`Management key: ${managementKey}`]),
    ...(apiKey === undefined ? [] : [`API key: ${apiKey}`]),
    "Keep what is printed here: keys are shown once, and only their hashes are stored.",
  ];
}

interface Curl {
  readonly address: string;
  readonly apiKey?: string;
  readonly model: string;
}

function curlText({ address, apiKey = "$TOLLGATE_API_KEY", model }: Curl): string {
  const body = JSON.stringify({ model, input: "Hello", stream: true });
  return [
    `  curl -N ${address}/v1/responses \\`,
    `    -H "Authorization: Bearer ${apiKey}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '${body}'`,
  ].join("\n");
}
