/** Messages of a refusal under a limit: what the amount that does not fit is for. */

import assert from "node:assert/strict";
import { toNanoUsd } from "../../../../shared/money.ts";
import { limitReachedError, type WantedAmount } from "./ledger_errors.ts";

const limit = {
  scope: "key:one",
  source: "key",
  id: "one",
  name: "The key's limit",
  amount: toNanoUsd(5_000_000_000),
  period: "lifetime",
  includeByok: false,
} as const;
const standing = { limit, spent: 0, reserved: 1_000_000_000, at: 0 };
const amount = 13_794_040_000;

const cases: readonly (readonly [WantedAmount | undefined, string])[] = [
  [undefined, ""],
  [{ requestedAmount: amount }, "; this request may cost up to 13.79404 USD"],
  [{ requestedAmount: amount, providerTools: [] }, "; this request may cost up to 13.79404 USD"],
  [
    { requestedAmount: amount, providerTools: ["web_search", "shell"] },
    "; this request may cost up to 13.79404 USD, with calls of the provider's own web_search, shell",
  ],
];

Deno.test("limitReachedError says for which tools of the provider's own the amount is", () => {
  for (const [wanted, words] of cases) {
    const spent = "The key's limit is 5 USD, of which 0 USD are spent";
    assert.equal(limitReachedError(standing, { wanted }).message, `${spent}${words}.`);
    if (wanted === undefined) continue;
    const late = limitReachedError(standing, { wanted, retryAfter: 5 });
    assert.equal(late.message, `${spent} and 1 USD are held by requests that are still running${words}.`);
  }
});
