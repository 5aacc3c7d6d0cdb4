/** Tag rules that receipts are tagged by, held in memory until one of them changes. */

import type { Receipt } from "../../../shared/receipts.ts";
import { Memo } from "../../../shared/util/memo.ts";
import { within } from "../../../shared/util/within.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { compareByAge, readAllRecords } from "../core/pages.ts";
import { compileTagRules, type Tagger } from "./compile_rules.ts";
import { tagRuleCollection } from "./tag_rule_rows.ts";

/** The longest that a receipt waits for rules that have changed, ms. Then those before are good enough. */
export const RULES_MS = 250;

/** Reads the rules as they are now. Rejects with a StoreError. */
export async function readTagger(store: Store): Promise<Tagger> {
  const rows = await readAllRecords(tagRuleCollection(store));
  return compileTagRules(rows.sort(compareByAge));
}

interface TagRulesOptions {
  readonly store: Store;
  readonly cacheVersions: CacheVersions;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

export class TagRules {
  readonly #options: TagRulesOptions;
  readonly #read = new Memo(() => this.#load());
  /** Undefined while rules have changed and are not read yet. */
  #current: Tagger | undefined;
  #last: Tagger = compileTagRules([]);
  /** Another number after every change: what was read before it is not kept. */
  #version = 0;

  constructor(options: TagRulesOptions) {
    this.#options = options;
    options.cacheVersions.on("classifiers", () => {
      this.#version++;
      this.#current = undefined;
      this.#read.forget();
    });
  }

  /** Reads them ahead of the first receipt. Rejects with a StoreError. */
  async open(): Promise<void> {
    await this.#read.get();
  }

  /** At once but after a change. Never fails: a receipt is written whatever becomes of its tags. */
  tagsOf(receipt: Receipt): readonly string[] | Promise<readonly string[]> {
    return this.#current?.(receipt) ?? this.#tagLater(receipt);
  }

  async #tagLater(receipt: Receipt): Promise<readonly string[]> {
    const { runtime: { clock, log } } = this.#options;
    const late = () => new Error("The store has not answered in time.");
    try {
      const tagger = await within(this.#read.get(), { clock, ms: RULES_MS, late });
      return tagger(receipt);
    } catch (error) {
      log.warn("Cannot read tag rules; receipts are tagged by those before", { error: String(error) });
      return this.#last(receipt);
    }
  }

  async #load(): Promise<Tagger> {
    const version = this.#version;
    const tagger = await readTagger(this.#options.store);
    if (version === this.#version) this.#current = this.#last = tagger;
    return tagger;
  }
}
