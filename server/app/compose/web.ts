/** Puts together what reaches and reads pages and documents. */

import type { SearchEngineId } from "../../../shared/search_engines.ts";
import { pause } from "../../../shared/util/pause.ts";
import { runWork, type Work } from "../../../shared/util/run_work.ts";
import { createDocumentServices, type DocumentParts } from "./documents.ts";
import type { CompositionParts } from "../composition_parts.ts";
import { searchEngineVariables } from "../../config/search_settings.ts";
import { createGuardedFetch, type GuardedFetch } from "../../web/fetch/guarded_fetch.ts";
import { createGuardedTunnel, type GuardedTunnel } from "../../web/fetch/guarded_tunnel.ts";
import { createGuardedRequest } from "../../web/fetch/guarded_request.ts";
import { createMcpAccess, type McpAccess } from "../../web/mcp/mcp_access.ts";
import { systemResolver } from "../../web/fetch/resolver.ts";
import { unavailableKeeper } from "../../sandbox/keeper/keeper.ts";
import { readPage } from "../../web/reader/page/read_page.ts";
import { createReader, type Reader } from "../../web/reader/reader.ts";
import { configuredEngines } from "../../web/search/configured_engines.ts";
import { createSearchClient } from "../../web/search/search_client.ts";
import { type LoadClock, loadTokenizer, type Tokenizer } from "../../billing/tokenizer/tokens.ts";
import type { WebAccess } from "../../pipeline/tools/tool_definition.ts";
import type { Clock } from "../../runtime.ts";
import { connect } from "../../providers/upstream/connections/connect.ts";
import { proxyFinder } from "../../providers/upstream/proxy_rules.ts";

/** Children mostly compute: more of them at once than this would only share the cores. */
const DOCUMENTS_PER_CORE = 2;

export function createDocumentReader(
  { config, keeper, runtime }: Pick<CompositionParts, "config" | "keeper" | "runtime">,
): Reader {
  return createReader({
    keeper: keeper ?? unavailableKeeper("This gateway runs without a keeper."),
    log: runtime.log,
    clock: runtime.clock,
    concurrency: DOCUMENTS_PER_CORE * navigator.hardwareConcurrency,
    readPage: config.deploy ? (page, signal) => readPage(page, { clock: runtime.clock, signal }) : undefined,
  });
}

/** For everything that callers and models name by URL: the settings allow hosts and name proxies. */
export function createWebFetch(
  { config, runtime }: Pick<McpParts, "config"> & Pick<CompositionParts, "runtime">,
): GuardedFetch {
  return createGuardedFetch(guardedBy(config, runtime.clock));
}

const guardedBy = ({ fetch, proxies }: McpParts["config"], clock: Clock) => ({
  clock,
  resolve: systemResolver,
  connect,
  findProxy: proxyFinder(proxies),
  policy: fetch,
});

/** Composes the way to the same places for programs that speak TLS themselves. */
export function createWebTunnel(
  { config, runtime }: Pick<McpParts, "config"> & Pick<CompositionParts, "runtime">,
): GuardedTunnel {
  return createGuardedTunnel(guardedBy(config, runtime.clock));
}

interface McpParts {
  readonly config: Pick<CompositionParts["config"], "fetch" | "proxies">;
  readonly clock: Clock;
}

/** Composes what reaches the MCP servers that requests name, by the same rules as pages. */
export function createMcp({ config, clock }: McpParts): McpAccess {
  const request = createGuardedRequest(guardedBy(config, clock));
  return createMcpAccess({ clock, request, policy: config.fetch });
}

/** Search engines that the settings switch on. */
export function searchEnginesOf({ search, providerEnv }: CompositionParts["config"]) {
  const secretOf = (id: SearchEngineId) => providerEnv.get(searchEngineVariables[id]);
  return configuredEngines({ rows: search, secretOf });
}

/** Composes what server tools reach of the web. */
export function createWebAccess(
  parts: DocumentParts,
  read: Reader,
): WebAccess {
  const { config, runtime: { clock, log }, transport } = parts;
  return {
    engines: searchEnginesOf(config),
    search: createSearchClient({ transport, clock, log, allowedHosts: config.fetch.allowedHosts }),
    fetch: createWebFetch(parts),
    read,
    documents: createDocumentServices(parts),
    firstTokens: (text, most) => firstTokens(text, { most, clock }),
  };
}

interface TokenLimit {
  readonly most: number;
  readonly clock: LoadClock;
}

async function firstTokens(text: string, { most, clock }: TokenLimit): Promise<string> {
  // A token has a character at least.
  if (text.length <= most) return text;
  const tokenizer = await loadTokenizer(clock);
  const cutting = cutToTokens(text, { most, tokenizer });
  return await runWork(cutting, { clock, pause, mostMs: Infinity });
}

/** UTF-16 units that are counted before a pause is offered: about a millisecond. */
const UNITS_AT_ONCE = 4_096;

function* cutToTokens(
  text: string,
  { most, tokenizer }: Pick<TokenLimit, "most"> & { readonly tokenizer: Tokenizer },
): Work<string> {
  let [tokens, length, done] = [0, 0, 0];
  for (const chunk of tokenizer.chunks(text)) {
    tokens += chunk.tokens;
    if (tokens > most) break;
    length += chunk.text.length;
    if (length - done < UNITS_AT_ONCE) continue;
    done = length;
    yield;
  }
  return text.slice(0, length);
}
