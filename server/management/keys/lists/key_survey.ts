/**
 * Counts the keys of workspaces and knows when they end, from one walk over their index that is kept until a key
 * changes.
 */

import { SharedWork } from "../../../../shared/util/memo.ts";
import { endsWithin } from "../../../../shared/util/within.ts";
import type { Clock } from "../../../runtime.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { CacheVersions } from "../../core/cache_versions.ts";
import { listIndexedKeys } from "./key_index.ts";
import type { KeyFacts, KeyTest } from "./key_states.ts";

interface SurveyDeps {
  readonly store: Store;
  readonly runtime: { readonly clock: Clock };
  readonly cacheVersions: Pick<CacheVersions, "version">;
}

interface Survey {
  /** Cache version of keys before the walk. */
  readonly version: string | undefined;
  /** Facts that decide, apart from ends: disabled or not. How many keys without an end have them. */
  readonly endless: { enabled: number; disabled: number };
  readonly ending: KeyFacts[];
  /** False where there are more keys than are counted. */
  complete: boolean;
}

/** Keys that one survey counts. */
const MOST_KEYS = 200_000;
/** How long a list waits for a count, in ms. */
const PATIENCE_MS = 200;
/** Sets of workspaces of which a survey is kept. */
const MOST_SURVEYS = 20;

export class KeySurveys {
  readonly #deps: SurveyDeps;
  readonly #known = new Map<string, Survey>();
  readonly #walks = new SharedWork<string, Survey>();

  constructor(deps: SurveyDeps) {
    this.#deps = deps;
  }

  /**
   * Number of keys that pass by their facts; null where there are too many to be counted, and while counting takes
   * longer than a list may: it goes on, for the lists to come.
   */
  async count(workspaces: readonly string[], { byFacts }: KeyTest): Promise<number | null> {
    const surveying = this.#of(workspaces);
    const { clock } = this.#deps.runtime;
    if (!await endsWithin(surveying, { clock, ms: PATIENCE_MS })) return null;
    const { endless, ending, complete } = await surveying;
    if (!complete) return null;
    const forever = { expires_at: null, at: 0 };
    return (byFacts({ ...forever, disabled: false }) ? endless.enabled : 0) +
      (byFacts({ ...forever, disabled: true }) ? endless.disabled : 0) +
      ending.filter((key) => byFacts(key)).length;
  }

  /** Hashes of the keys that have an end, the soonest first. */
  async byEnd(workspaces: readonly string[]): Promise<readonly string[]> {
    const { ending } = await this.#of(workspaces);
    const endOf = ({ expires_at }: KeyFacts) => Date.parse(expires_at ?? "");
    return ending.toSorted((a, b) => endOf(a) - endOf(b) || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  }

  async #of(workspaces: readonly string[]): Promise<Survey> {
    const name = workspaces.join(" ");
    const version = await this.#deps.cacheVersions.version("keys");
    const known = this.#known.get(name);
    if (known !== undefined && known.version === version) return known;
    return await this.#walks.run(name, async () => {
      const survey = await this.#walk(workspaces, version);
      this.#known.delete(name);
      const [oldest] = this.#known.keys();
      if (this.#known.size >= MOST_SURVEYS && oldest !== undefined) this.#known.delete(oldest);
      this.#known.set(name, survey);
      return survey;
    });
  }

  async #walk(workspaces: readonly string[], version: string | undefined): Promise<Survey> {
    const survey: Survey = { version, endless: { enabled: 0, disabled: 0 }, ending: [], complete: true };
    let left = MOST_KEYS;
    for (const of of workspaces) {
      for await (const key of listIndexedKeys(this.#deps.store, { name: "workspace", of })) {
        if (left-- <= 0) return { ...survey, complete: false };
        const { hash, disabled, expires_at, place } = key;
        if (expires_at !== null) survey.ending.push({ hash, disabled, expires_at, at: Number(place[1]) });
        else survey.endless[disabled ? "disabled" : "enabled"]++;
      }
    }
    return survey;
  }
}
