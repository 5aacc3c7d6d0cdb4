/**
 * Caller → rules for routing: guardrails and the workspace's own provider keys, held in memory (ARCHITECTURE.md,
 * 12).
 */

import { ApiError } from "../../../shared/errors.ts";
import { serviceKindOf } from "../../../shared/fields/service_tool_names.ts";
import type { Caller } from "../../../shared/keys.ts";
import { providerSortSchema } from "../../../shared/workspaces.ts";
import type {
  ByokKey,
  CallerRules,
  GuardrailPolicy,
  WorkspaceDefaults,
} from "../../pipeline/caller_rules.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { CacheTopic, CacheVersions } from "../core/cache_versions.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import { compileContentFilters, type FilterSource } from "../../pipeline/guardrails/content_filters.ts";
import { applicableGuardrails, combinePolicies, filterSources } from "./guardrail_policy.ts";
import type { KeyCache } from "../keys/key_cache.ts";
import type { KeyRow } from "../keys/key_rows.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

interface CallerRulesResolverOptions {
  readonly store: Store;
  readonly keyCache: Pick<KeyCache, "rowOf">;
  readonly cacheVersions: Pick<CacheVersions, "onFor">;
  /** Provider keys that are for this key, in order. */
  readonly byokKeysOf: (key: KeyRow) => readonly ByokKey[] | Promise<readonly ByokKey[]>;
  /** Finds the models that keys reach beyond the gateway's own providers; undefined where there are none. */
  readonly byokModels?: (keys: readonly ByokKey[]) => Promise<CallerRules["byokModels"]>;
  /** Gets ready what a policy says of endpoints, before a request asks for many at once. */
  readonly preparePolicy?: (policy: GuardrailPolicy) => void | Promise<void>;
  /** Gets filters ready: large ones take a while. */
  readonly prepareFilters?: (sources: readonly FilterSource[]) => void | Promise<void>;
  /** Callers held in memory. */
  readonly maxCallers?: number;
}

/** For callers without any rules, which is most of them. */
const noRules: CallerRules = { byokKeys: [] };

const topics: readonly CacheTopic[] = ["guardrails", "workspaces", "byok"];

export class CallerRulesResolver {
  readonly #options: CallerRulesResolverOptions;
  readonly #held: GenerationalCache<CallerRules>;
  /** Counts changes: what was looked up before one must not be remembered after it. */
  #version = 0;

  constructor(options: CallerRulesResolverOptions) {
    this.#options = options;
    this.#held = new GenerationalCache(options.maxCallers ?? 100_000);
    const { cacheVersions } = options;
    // It goes when a reload has made another one and the last request of its own has ended.
    cacheVersions.onFor("keys", {
      owner: this,
      listen: (owner: CallerRulesResolver, hash) => owner.#forget(hash),
    });
    for (const topic of topics) {
      cacheVersions.onFor(topic, { owner: this, listen: (owner: CallerRulesResolver) => owner.#forget() });
    }
  }

  /** At once for a key that is in use; else a promise, which rejects with an ApiError when the store does not answer. */
  resolve({ keyHash }: Caller): CallerRules | Promise<CallerRules> {
    return this.#held.get(keyHash) ?? this.#load(keyHash);
  }

  #forget(hash?: string): void {
    this.#version++;
    if (hash === undefined) this.#held.clear();
    else this.#held.delete(hash);
  }

  async #load(hash: string): Promise<CallerRules> {
    const version = this.#version;
    const row = await this.#options.keyCache.rowOf(hash);
    if (row === undefined) throw new ApiError("unauthorized", "The key was removed a moment ago.");
    const rules = await this.resolveKey(row);
    if (version === this.#version) this.#held.set(hash, rules);
    return rules;
  }

  /** The same for a key that need not be stored. */
  async resolveKey(row: KeyRow): Promise<CallerRules> {
    const { store, byokKeysOf } = this.#options;
    const [guardrails, byokKeys, defaults] = await Promise.all([
      applicableGuardrails(store, row),
      row.self_test ? [] : byokKeysOf(row),
      defaultsOf(store, row),
    ]);
    const policy = combinePolicies(guardrails);
    if (policy !== undefined) await this.#options.preparePolicy?.(policy);
    const sources = filterSources(guardrails, row);
    await this.#options.prepareFilters?.(sources);
    const contentFilters = compileContentFilters(sources);
    const byokModels = byokKeys.length === 0 ? undefined : await this.#options.byokModels?.(byokKeys);
    const builtInOnly = row.self_test;
    const none = policy === undefined && contentFilters === undefined && byokKeys.length === 0 &&
      defaults === undefined && !builtInOnly;
    return none ? noRules : { policy, contentFilters, byokKeys, byokModels, defaults, builtInOnly };
  }
}

/** Workspaces name server tools by their type, with or without its prefix. */
const toolKindOf = (name: string): string => serviceKindOf(name) ?? name;

/** Defaults of the key's workspace; undefined where it has none. */
async function defaultsOf(store: Store, { workspace_id }: KeyRow): Promise<WorkspaceDefaults | undefined> {
  const found = await workspaceCollection(store).get(workspace_id).catch(throwStoreUnavailable);
  if (found === undefined) return undefined;
  const { default_text_model: text, default_image_model: image, default_provider_sort: sort } = found.record;
  const { data: known } = providerSortSchema.safeParse(sort);
  const disabled = found.record.disabled_server_tools ?? [];
  const plugins = found.record.default_plugins ?? [];
  const defaults: WorkspaceDefaults = {
    textModel: text ?? undefined,
    imageModel: image ?? undefined,
    sort: known,
    disabledTools: disabled.length === 0 ? undefined : new Set(disabled.map(toolKindOf)),
    plugins: plugins.length === 0 ? undefined : plugins,
  };
  return Object.values(defaults).every((value) => value === undefined) ? undefined : defaults;
}
