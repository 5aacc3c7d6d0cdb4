/** docs/destinations.md. */

import { MOST_OF_TYPE } from "../../../shared/observability/records.ts";
import {
  CLAIM_MS,
  FIRST_RETRY_MS,
  GIVE_UP_MS,
  MOST_RETRY_MS,
} from "../../../server/management/destinations/destination_sender.ts";
import { ANSWER_MS } from "../../../server/management/delivery/post_message.ts";
import { FAILING_MS } from "../../../server/management/destinations/failing_destinations.ts";
import { type HeldPage, says, seconds } from "./held_page.ts";

const RECORDS = "shared/observability/records.ts";
const OPERATIONS = "server/management/destinations/destination_operations.ts";
const CONFIG = "server/management/destinations/config_schemas.ts";
const FILTER = "server/management/destinations/receipt_filter.ts";
const POST = "server/management/delivery/post_message.ts";
const TAIL = "server/billing/ledger/journal/journal_tail.ts";

export const destinations: HeldPage = {
  rows: [
    says`up to ${MOST_OF_TYPE} of a type`,
    ["another one is 409", "shared/errors.ts", "destinations: [400, 401, 403, 404, 409,"],
    ["true by default", OPERATIONS, "  enabled: true,"],
    ["0.0001 to 1", RECORDS, "z.number().min(0.0001).max(1)"],
    ["1 to 10 groups", RECORDS, "groups: z.array(groupSchema).max(10)"],
    ["of 1 to 20 rules", RECORDS, "rules: z.array(ruleSchema).min(1).max(20)"],
    ["`and` (by default)", RECORDS, '.default("and")'],
    ["the first 1,000 characters", FILTER, "const MOST_UNITS = 1_000;"],
    ["false by default", OPERATIONS, "  broadcast_generation_cost: false,"],
    ["`POST` by default", CONFIG, '.default("POST")'],
    ["`us-east-1` by default", CONFIG, '.default("us-east-1")'],
    ["`tollgate-traces` by default", CONFIG, '.default("tollgate-traces")'],
    ["`{prefix}/{date}` by default", CONFIG, '.default("{prefix}/{date}")'],
    ["a webhook that answers 400", "server/management/destinations/test_call.ts", "const REFUSED = 400;"],
    ["about 100 in a message", TAIL, "const ENOUGH = 100;"],
    ["24 to 64 random bytes", "shared/observability/webhook_secret.ts", "bytes >= 24 && bytes <= 64"],
    says`another goes on ${seconds(CLAIM_MS)} s later`,
    ["200 to 299", POST, "status >= 200 && status < 300"],
    says`within ${seconds(ANSWER_MS)} s is an arrival`,
    says`after ${seconds(FIRST_RETRY_MS)} s, then after twice as long each time, ${
      MOST_RETRY_MS / 60_000
    } minutes at most`,
    says`every attempt has failed for ${FAILING_MS / 60_000} minutes`,
    says`older than ${GIVE_UP_MS / 3_600_000} hours`,
  ],
  others: [[
    "[`tollgate_destination_receipts_total`]",
    "A counter of the table, with the end that all counters have.",
  ]],
};
