/** The account's credits as a limit over everybody, once they were ever set. */

import { toNanoUsd } from "../../../shared/money.ts";
import type { Limit } from "../../ledger/core/ledger.ts";
import type { Store } from "../../stores/store.ts";
import { ACCOUNT_CREDITS, creditTotals } from "./credit_rows.ts";
import type { Epochs } from "../core/cache_versions.ts";
import { ACCOUNT_SCOPE, type LimitSource } from "./limit_resolver.ts";
import { refuseForStore } from "../core/store_errors.ts";

export interface CreditsLimitDeps {
  readonly store: Store;
  readonly epochs: Pick<Epochs, "on">;
}

/** Read once, and again after a change. Rejects with a Refusal when the store does not answer. */
export function creditsLimit({ store, epochs }: CreditsLimitDeps): LimitSource {
  let held: Promise<readonly Limit[]> | undefined;
  const forget = () => {
    held = undefined;
  };
  epochs.on("credits", forget);
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

async function load(store: Store): Promise<readonly Limit[]> {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS).catch(refuseForStore);
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
