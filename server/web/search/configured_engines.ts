/** The search engines that the operator has switched on, in the order in which one is chosen. */

import { type SearchEngineId, searchEngineIds } from "../../../shared/search_engines.ts";
import type { EngineTarget, SearchEngine } from "./engine.ts";
import { searchEngines } from "./mod.ts";

export interface ConfiguredEngine {
  readonly id: SearchEngineId;
  readonly engine: SearchEngine;
  readonly target: EngineTarget;
  /** USD a search, instead of the list price. */
  readonly price?: string;
}

interface EngineSettings {
  /** Settings of an engine in the configuration file. */
  readonly rows: ReadonlyMap<string, { readonly base_url?: string; readonly price?: string }>;
  /** The key of an engine, or the address of one that the operator runs. */
  readonly secretOf: (id: SearchEngineId) => string | undefined;
}

export function configuredEngines({ rows, secretOf }: EngineSettings): readonly ConfiguredEngine[] {
  return searchEngineIds.flatMap((id): readonly ConfiguredEngine[] => {
    const secret = secretOf(id);
    if (secret === undefined) return [];
    const engine = searchEngines[id];
    const row = rows.get(id);
    const own = engine.baseUrl === undefined;
    const baseUrl = row?.base_url ?? engine.baseUrl ?? secret;
    return [{ id, engine, target: { baseUrl, key: own ? "" : secret }, price: row?.price }];
  });
}
