/** docs/alerts.md. */

import { alertThresholds } from "../../../shared/management/alerts.ts";
import {
  DOWN_MS,
  OLD_PRICE_DAYS,
  SLOW_FOR_MS,
  SLOW_MS,
  SUMS_MS,
} from "../../../server/management/alerts/gateway_alerts.ts";
import { FAILING_MS } from "../../../server/management/destinations/failing_destinations.ts";
import { AHEAD_DAYS } from "../../../server/providers/catalog/retirements.ts";
import { DEFAULT_PAGE_SIZE } from "../../../shared/management/operation.ts";
import { EXPIRING_DAYS } from "../../../shared/management/lists/key_sorts.ts";
import {
  BATCH,
  FIRST_RETRY_MS,
  MOST_FAILURES,
  MOST_RETRY_MS,
  SEND_MS,
} from "../../../server/management/alerts/alert_sender.ts";
import { KEPT_DAYS, MOST_LOGGED } from "../../../server/management/alerts/alert_book.ts";
import { ANSWER_MS } from "../../../server/management/delivery/post_message.ts";
import { LOOK_MS } from "../../../server/management/alerts/alert_watch.ts";
import { type HeldPage, inWords, says, seconds } from "./held_page.ts";

const SETTINGS = "server/config/web/alert_settings.ts";
const SENDER = "server/management/alerts/alert_sender.ts";
const POST = "server/management/delivery/post_message.ts";
const TEST = "tests/alerts/alerts_test.ts";
const [half, most, all] = alertThresholds;

export const alerts: HeldPage = {
  rows: [
    says`${half}, ${most} and ${all} % of the limit of a key`,
    says`\`threshold\` (${half}, ${most} or ${all})`,
    says`expires within ${inWords(EXPIRING_DAYS)} days`,
    says`in the store every ${seconds(LOOK_MS)} s`,
    says`within ${seconds(ANSWER_MS)} s is an arrival`,
    says`up to ${BATCH} of them in a list`,
    says`after ${seconds(FIRST_RETRY_MS)} s, then after twice as long each time, ${
      MOST_RETRY_MS / 60_000
    } minutes at most`,
    says`After ${inWords(MOST_FAILURES)} failures in a row the receiver is left alone for ${
      seconds(SEND_MS)
    } s`,
    ["After a day the alert is lost", SENDER, "export const GIVE_UP_MS = 86_400_000;"],
    ["`json` (by default)", SETTINGS, 'format: z.enum(alertFormats).default("json"),'],
    says`alerts of the last ${inWords(KEPT_DAYS)} days, the newest ${MOST_LOGGED} at most`,
    says`by \`offset\` and \`limit\` (${DEFAULT_PAGE_SIZE}, at most `,
    ["(50, at most 100;", "shared/management/operation.ts", "limit: whole(1, 100).optional()"],
    ["older than five minutes", "docs/examples/alert_receiver.py", "abs(time.time() - int(sent)) > 300"],
    says`at any look for ${DOWN_MS / 60_000} minutes`,
    says`has failed for ${FAILING_MS / 60_000} minutes`,
    says`looked for every ${inWords(SUMS_MS / 60_000)} minutes`,
    says`took more than ${SLOW_MS} ms or failed for ${inWords(SLOW_FOR_MS / 60_000)} minutes`,
    says`more than ${OLD_PRICE_DAYS} days old`,
    says`ends a model within ${AHEAD_DAYS} days`,
    [
      "24 to 64 random bytes",
      "shared/observability/webhook_secret.ts",
      "  return bytes >= 24 && bytes <= 64;",
    ],
    ["A limit of 0 is never told of", TEST, "and a limit of 0 never"],
    ["200 to 299", POST, "status >= 200 && status < 300"],
    ["a twentieth of its time", "server/management/status/limit_standings.ts", "const REST = 20;"],
  ],
  others: [["[`tollgate_alerts_total`]", "A counter of the table, with the end that all counters have."]],
};
