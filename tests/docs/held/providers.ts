/** docs/providers.md. */

import { MOST_LISTED } from "../../../server/providers/catalog/bare_names.ts";
import { limitsSchema } from "../../../server/config/limits.ts";
import { MOST_ALIAS_MODELS } from "../../../server/config/routing/model_ids.ts";
import { FRESH_DAYS } from "../../../server/providers/catalog/price_age.ts";
import { NOTABLE } from "../../../server/providers/catalog/price_moves.ts";
import { TEST_OUTPUT_TOKENS } from "../../../shared/management/gateway/providers.ts";
import { type HeldPage, inWords, says } from "./held_page.ts";

const NAMES = "tests/http/bare_names_test.ts";
const PROXIES = "tests/proxies/transport_test.ts";

export const providers: HeldPage = {
  rows: [
    says`and the answer (404) lists up to ${inWords(MOST_LISTED)} of them`,
    [
      "A 404 also says what was probably meant",
      NAMES,
      "a model without an endpoint is 404 with what was meant",
    ],
    [
      "refused where a limit applies (404)",
      "tests/money/unpriced_test.ts",
      "assert.equal(refused.status, 404);",
    ],
    [
      "(statuses 401, 402, 403, and 429 for as long as its `Retry-After` says)",
      "tests/faults/provider_keys_test.ts",
      "a key rests alone after ${status}, and the other goes on",
    ],
    says`An alias has at most ${MOST_ALIAS_MODELS} models`,
    says`[attempts](settings.md), ${limitsSchema.parse({}).attempts} unless it is set`,
    says`with a warning beyond ${FRESH_DAYS} days`,
    says`moved by more than ${inWords(NOTABLE)} times`,
    [
      "the answer is 502 with the proxy's address, without its credentials",
      PROXIES,
      "a proxy that ${what} is named",
    ],
    says`with ${TEST_OUTPUT_TOKENS} output tokens at most`,
    ["`limit` (500 unless set", "server/management/models/model_operations.ts", "const DEFAULT_LIMIT = 500;"],
    ["at most 1,000) narrow it", "shared/management/gateway/models.ts", ".max(1_000)"],
    [
      "medians `p50_ms` and `tokens_per_second` of 30 minutes",
      "server/pipeline/routing/health/endpoint_stats.ts",
      "const HALF_HOUR = 30 * MINUTE;",
    ],
    [
      "in the last 24 hours, in per cent",
      "server/management/models/model_operations.ts",
      "from: to - timeSpans.day,",
    ],
    ["except 407", PROXIES, "HTTP/1.1 407 Auth"],
  ],
  others: [[
    '"held by the gateway" says that the answer is held to it all the same; where a cell says "refused" another provider is asked, or the client gets an error. "Where the row',
    "Words of the generated table.",
  ]],
};
