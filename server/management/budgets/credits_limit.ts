/** The account's credits as a limit over everybody, once they were ever set. */

import { toNanoUsd } from "../../../shared/money.ts";
import type { SpendingLimit } from "../../ledger/core/ledger.ts";
import type { Store } from "../../stores/store.ts";
import { ACCOUNT_CREDITS, creditTotals } from "./credit_rows.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { ACCOUNT_SCOPE, type LimitSource } from "./limit_resolver.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";

export interface CreditsLimitDeps {
  readonly store: Store;
  readonly cacheVersions: Pick<CacheVersions, "on">;
}

/** Read once, and again after a change. Rejects with an ApiError when the store does not answer. */
export function creditsLimitSource({ store, cacheVersions }: CreditsLimitDeps): LimitSource {
  let held: Promise<readonly SpendingLimit[]> | undefined;
  const forget = () => {
    held = undefined;
  };
  cacheVersions.on("credits", forget);
  return {
    limitsOf: () => {
      if (held !== undefined) return held;
      const loading = load(store);
      held = loading;
      // What failed is asked for again; who waits for it hears of it.
      loading.catch(() => {
        if (held === loading) forget();
      });
      return loading;
    },
  };
}

async function load(store: Store): Promise<readonly SpendingLimit[]> {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS).catch(throwStoreUnavailable);
  if (found === undefined) return [];
  return [{
    source: "credits",
    name: "The account's credit",
    scope: ACCOUNT_SCOPE,
    period: "lifetime",
    amount: toNanoUsd(found.record.total),
    includeByok: false,
  }];
}
