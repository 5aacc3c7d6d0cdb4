/**
 * `deno task build [--check]`: brings the generated blocks of the documents up to date, and files that are generated
 * whole, or says which are not. A block stands between `<!-- name:begin -->` and `<!-- name:end -->`.
 */

import { settingsTable } from "../../server/config/shown/settings_table.ts";
import { type EnvSetting, envSettings } from "../../server/config/env_settings.ts";
import { SERVING, v8Argument } from "../../server/config/process/v8_flags.ts";
import { searchEngineVariables, serviceSettings } from "../../server/config/search_settings.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import type { SearchLimits } from "../../server/web/search/engine.ts";
import { searchEngines } from "../../server/web/search/mod.ts";
import { searchEngineIds } from "../../shared/search_engines.ts";
import { failoverTable } from "../faults/failover.ts";
import { modules } from "../lint/module_imports.ts";
import { valuesSchemaText } from "../manifests/chart_values.ts";
import { priceSourcesTable } from "./price_sources.ts";
import { hostTraitsTable, traitsTable } from "./trait_tables.ts";
import { seriesTables } from "./series_table.ts";
import { routerSettingsTable, scalesTable } from "./router_tables.ts";
import { wireFeaturesTable } from "../differential/wire_features.ts";
import { documentedChangesTable } from "../property/faithful/documented_changes.ts";

const root = new URL("../../", import.meta.url);

/** Replaces what stands between a block's marks. Throws when the text has no such block. */
export function replaceBlock(text: string, name: string, { content }: { readonly content: string }): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const from = text.indexOf(begin);
  const until = text.indexOf(end);
  if (from === -1 || until < from) throw new Error(`There is no block ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(until)}`;
}

const listed = (names: readonly string[] = []) => names.map((name) => `\`${name}\``).join(", ") || "–";

/** The table of modules as ARCHITECTURE.md shows it. */
function modulesTable(): string {
  const rows = Object.entries(modules).map(([name, { modules, types, packages }]) =>
    `| \`${name}\` | ${listed(modules)} | ${listed(types)} | ${listed(packages)} |`
  );
  const head = ["| module | may import | types only from | packages |", "|---|---|---|---|"];
  return [...head, ...rows].join("\n");
}

/** `OPENAI_*` for `OPENAI_API_KEY`; a name of one word stands for itself. */
const wildcard = (name: string) => name.replace(/_.*$/, "_*");

/** The start command with no more than the default folder, one provider and the settings need. */
function narrowedCommand(): string {
  const settings: readonly EnvSetting<unknown>[] = Object.values(envSettings);
  const own = settings.flatMap(({ name, alias = name }) => [name, alias]);
  const others = [...providerSettings, ...serviceSettings].map(({ name }) => name);
  const names = [...own, ...others].map(wildcard);
  return [
    "```sh",
    "deno run --frozen --no-prompt \\",
    "  --allow-net=127.0.0.1,api.openai.com:443 \\",
    `  --allow-env='${[...new Set(names)].sort().join(",")}' \\`,
    "  --allow-read=data --allow-write=data \\",
    `  ${v8Argument(SERVING)} \\`,
    "  main.ts",
    "```",
  ].join("\n");
}

/** The search engines as docs/server-tools.md shows them. */
function searchEnginesTable(): string {
  const rows = searchEngineIds.map((id) => {
    const { name, price, maxResults } = searchEngines[id];
    const modes = [...price?.modes ?? []].map(([mode, usd]) => `, ${usd} with \`${mode}\``).join("");
    const further = price?.furtherResult === undefined
      ? ""
      : `, ${price.furtherResult} for each result beyond 10`;
    const cost = price === null ? "by plan: set it" : `${price.search}${modes}${further}`;
    const source = price === null ? "–" : [price.source, price.date].filter(Boolean).join(", ");
    const limits = searchLimits(searchEngines[id].limits);
    const setting = searchEngineVariables[id];
    return `| \`${id}\` (${name}) | \`${setting}\` | ${maxResults} | ${limits} | ${cost} | ${source} |`;
  });
  const head = [
    "| engine | switched on by | results at most | takes at most | USD a search | source |",
    "|---|---|---|---|---|---|",
  ];
  return [...head, ...rows].join("\n");
}

function searchLimits(limits: SearchLimits): string {
  const { queryCharacters, queryWords, domains, allowedDomains, excludedDomains, countries } = limits;
  const words = queryWords === undefined ? "" : ` and ${queryWords} words`;
  const lists = domains === "query"
    ? "domains within the query"
    : allowedDomains === excludedDomains
    ? `${allowedDomains} domains`
    : `${allowedDomains} allowed or ${excludedDomains} excluded domains`;
  const places = countries === undefined
    ? "every country"
    : countries.size === 0
    ? "no country"
    : `${countries.size} countries`;
  return `${queryCharacters} characters${words}, ${lists}, ${places}`;
}

interface Block {
  readonly file: string;
  /** Absent where it is the whole file. */
  readonly name?: string;
  readonly content: () => string;
}

const blocks: readonly Block[] = [
  { file: "docs/settings.md", name: "settings", content: () => settingsTable(providerSettings) },
  { file: "docs/settings.md", name: "router-settings", content: routerSettingsTable },
  { file: "docs/auto-routing.md", name: "scales", content: scalesTable },
  { file: "SECURITY.md", name: "narrowed", content: narrowedCommand },
  { file: "ARCHITECTURE.md", name: "modules", content: modulesTable },
  { file: "docs/server-tools.md", name: "engines", content: searchEnginesTable },
  { file: "docs/clients.md", name: "own-wire", content: documentedChangesTable },
  { file: "docs/routing.md", name: "failover", content: failoverTable },
  { file: "docs/limits-and-billing.md", name: "prices", content: priceSourcesTable },
  { file: "docs/metrics.md", name: "series", content: seriesTables },
  { file: "docs/providers.md", name: "wire-features", content: wireFeaturesTable },
  { file: "docs/providers.md", name: "traits", content: traitsTable },
  { file: "docs/providers.md", name: "host-traits", content: hostTraitsTable },
  { file: "deploy/helm/tollgate/values.schema.json", content: valuesSchemaText },
];

/** The files whose generated blocks are not current; with `write` they are brought up to date. */
export async function staleDocuments({ write }: { readonly write: boolean }): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const { file, name, content } of blocks) {
    const path = new URL(file, root);
    const text = await Deno.readTextFile(path);
    const fresh = name === undefined ? content() : replaceBlock(text, name, { content: content() });
    if (fresh === text) continue;
    stale.push(file);
    if (write) await Deno.writeTextFile(path, fresh);
  }
  return stale;
}

if (import.meta.main) {
  const check = Deno.args.includes("--check");
  const stale = await staleDocuments({ write: !check });
  for (const file of stale) {
    console.log(check ? `${file} is not current: run deno task build` : `${file} written`);
  }
  if (check && stale.length > 0) Deno.exit(1);
}
