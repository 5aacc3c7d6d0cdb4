/** Puts together what reaches and reads pages and documents. */

import type { CompositionParts } from "./composition.ts";
import { createGuardedFetch, type GuardedFetch } from "./fetch/guarded_fetch.ts";
import { systemResolver } from "./fetch/resolver.ts";
import { unavailableKeeper } from "./keeper/keeper.ts";
import { createReader, type Reader } from "./reader/reader.ts";
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
