/** docs/limits-and-billing.md. */

import { withDefaultLimits } from "../../../server/billing/ledger/core/ledger_options.ts";
import { BYTES_PER_PAGE, TOKENS_PER_PAGE } from "../../../server/billing/pricing/media_estimate.ts";
import { premiumMultiple } from "../../../server/billing/pricing/unit_prices.ts";
import { INSTANCE_GONE_MS } from "../../../server/billing/rate_limits/instance_liveness.ts";
import { RATE_WINDOW_MS } from "../../../server/billing/rate_limits/usage_meters.ts";
import { BELIEVED_MULTIPLE } from "../../../server/pipeline/stages/billing/reported_cost.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { MAX_EXPORT_ROWS } from "../../../shared/management/exports.ts";
import { LOOK_MS } from "../../../server/billing/ledger/quota/followed_instances.ts";
import { MAX_TAIL_READERS, MAX_TAIL_RECEIPTS } from "../../../server/management/receipts/receipt_tail.ts";
import { MAX_BARS } from "../../../shared/management/receipts.ts";
import { type HeldPage, inWords, says, seconds, timeInWords } from "./held_page.ts";

const RATES = "tests/http/rate_limits_test.ts";
const { invalid_request, not_found, payment_required, too_large, unprocessable, rate_limited } = kinds;

export const limitsAndBilling: HeldPage = {
  rows: [
    says`then it is ${payment_required.status} with \`Retry-After\``,
    says`without a price is refused (${not_found.status})`,
    [
      "(a container of 1 GB; a larger one",
      "server/billing/pricing/hosted_tools_test.ts",
      'memory_limit: "4g" }), 4',
    ],
    [
      "at most 2,000 receipts",
      "server/billing/ledger/index/receipt_list.ts",
      "export const MAX_SCANNED = 2_000;",
    ],
    says`in at most ${MAX_BARS} bars`,
    says`A reader gets ${MAX_TAIL_RECEIPTS} receipts a second at most`,
    says`${MAX_TAIL_READERS} readers are let in at a time`,
    says`other gateways on the same store within about ${timeInWords(LOOK_MS)}`,
    says`further ones are ${kinds.rate_limited.status}`,
    says`{"count":${150}}`,
    says`at most ${MAX_EXPORT_ROWS} rows`,
    [
      '{"stopped_after":100000}',
      "server/management/core/export_file.ts",
      "{ stopped_after: MAX_EXPORT_ROWS }",
    ],
    [
      "stopped after 100000 rows",
      "server/management/core/export_file.ts",
      "`stopped after ${MAX_EXPORT_ROWS} rows`",
    ],
    ["`format=csv` (the default)", "shared/management/exports.ts", 'z.enum(exportFormats).default("csv")'],
    ["or 50 ms a call", "server/billing/ledger/index/receipt_list.ts", "const MAX_SCAN_MS = 50;"],
    ["to 256 tokens at least", "server/billing/ledger/core/reservation_attempt.ts", "const MIN_CAP = 256;"],
    says`What is more than ${inWords(BELIEVED_MULTIPLE)} times the reservation`,
    says`cost ${premiumMultiple} times as much`,
    says`a page for each ${BYTES_PER_PAGE / 1_000} KB at least`,
    says`a document by its pages at ${TOKENS_PER_PAGE} tokens`,
    ["or 50 tokens a second", "server/pipeline/stages/billing/token_estimate.ts", "const USUAL_SPEED = 50;"],
    [
      "(a whole one is 200 with the error in it",
      "tests/server_tools/failed_turns_test.ts",
      "after a paid turn leaves what was made",
    ],
    says`is damaged in the store is ${kinds.internal.status}`,
    says`Of refused requests ${withDefaultLimits().rejectedPerMinute} a minute and key`,
    says`A minute is any ${seconds(RATE_WINDOW_MS)} seconds`,
    says`start within any ${seconds(RATE_WINDOW_MS)} s`,
    [
      "up to 1,024 tokens of output",
      "server/pipeline/stages/rate_limit.ts",
      "const USUAL_OUTPUT_TOKENS = 1_024;",
    ],
    says`keeps its part for ${seconds(INSTANCE_GONE_MS)} s`,
    says`does not fit is refused with ${rate_limited.status}`,
    says`| on ${rate_limited.status}: seconds until the request fits, at most ${seconds(RATE_WINDOW_MS)}`,
    ["for streams 1, as nobody knows", RATES, 'assert.equal(refused.headers.get("retry-after"), "1");'],
    says`is refused (${invalid_request.status}, ${too_large.status}, ${unprocessable.status}) before it is counted`,
  ],
};
