/** Puts together what reaches and reads pages and documents. */

import { setImmediate } from "node:timers/promises";
import type { SearchEngineId } from "../shared/search_engines.ts";
import type { CompositionParts } from "./composition.ts";
import { searchEngineVariables } from "./config/search_settings.ts";
import { createGuardedFetch, type GuardedFetch } from "./fetch/guarded_fetch.ts";
import { systemResolver } from "./fetch/resolver.ts";
import { unavailableKeeper } from "./keeper/keeper.ts";
import { createReader, type Reader } from "./reader/reader.ts";
import { configuredEngines } from "./search/configured_engines.ts";
import { createSearchClient } from "./search/search_client.ts";
import { loadTokenizer } from "./tokenizer/tokens.ts";
import type { WebAccess } from "./tools/tool_definition.ts";
import { connect } from "./upstream/connect.ts";
import { proxyFinder } from "./upstream/proxy_rules.ts";

/** Children mostly compute: more of them at once than this would only share the cores. */
const DOCUMENTS_PER_CORE = 2;

export function createDocumentReader(
  { keeper, runtime }: Pick<CompositionParts, "keeper" | "runtime">,
): Reader {
  return createReader({
    keeper: keeper ?? unavailableKeeper("This gateway runs without a keeper."),
    log: runtime.log,
    concurrency: DOCUMENTS_PER_CORE * navigator.hardwareConcurrency,
  });
}

/** For everything that callers and models name by URL: the settings allow hosts and name proxies. */
export function createWebFetch(
  { config, runtime }: Pick<CompositionParts, "config" | "runtime">,
): GuardedFetch {
  return createGuardedFetch({
    clock: runtime.clock,
    resolve: systemResolver,
    connect,
    findProxy: proxyFinder(config.proxies),
    policy: config.fetch,
  });
}

/** What server tools reach of the web. */
export function createWebAccess(
  parts: Pick<CompositionParts, "config" | "runtime" | "transport">,
  read: Reader,
): WebAccess {
  const { config, runtime: { clock, log }, transport } = parts;
  const secretOf = (id: SearchEngineId) => config.providerEnv.get(searchEngineVariables[id]);
  return {
    engines: configuredEngines({ rows: config.search, secretOf }),
    search: createSearchClient({ transport, clock, log }),
    fetch: createWebFetch(parts),
    read,
    firstTokens,
  };
}

/** UTF-16 units that are counted before others get their turn: about 2 ms. */
const UNITS_AT_ONCE = 8_192;

async function firstTokens(text: string, most: number): Promise<string> {
  // A token has a character at least.
  if (text.length <= most) return text;
  const tokenizer = await loadTokenizer();
  let tokens = 0;
  let length = 0;
  let paused = 0;
  for (const chunk of tokenizer.chunks(text)) {
    tokens += chunk.tokens;
    if (tokens > most) break;
    length += chunk.text.length;
    if (length - paused < UNITS_AT_ONCE) continue;
    paused = length;
    await setImmediate();
  }
  return text.slice(0, length);
}
