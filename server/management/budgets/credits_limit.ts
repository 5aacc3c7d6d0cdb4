/** The account's credits as a limit over everybody, while they are one. */

import { toNanoUsd } from "../../../shared/money.ts";
import { Memo } from "../../../shared/util/memo.ts";
import type { SpendingLimit } from "../../billing/ledger/core/ledger.ts";
import type { Store } from "../../storage/stores/store.ts";
import { findCreditLimit } from "./credit_rows.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { ACCOUNT_SCOPE, type LimitSource } from "./limit_resolver.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";

interface CreditsLimitDeps {
  readonly store: Store;
  readonly cacheVersions: Pick<CacheVersions, "on">;
}

/** Read once, and again after a change. Rejects with an ApiError when the store does not answer. */
export function creditsLimitSource({ store, cacheVersions }: CreditsLimitDeps): LimitSource {
  const held = new Memo(() => load(store));
  cacheVersions.on("credits", () => held.forget());
  return { limitsOf: () => held.get() };
}

async function load(store: Store): Promise<readonly SpendingLimit[]> {
  const total = await findCreditLimit(store).catch(throwStoreUnavailable);
  if (total === undefined) return [];
  return [{
    source: "credits",
    name: "The account's credit",
    scope: ACCOUNT_SCOPE,
    period: "lifetime",
    amount: toNanoUsd(total),
    includeByok: false,
  }];
}
