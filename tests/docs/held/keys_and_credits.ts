/** docs/keys-and-workspaces.md and docs/credits-and-budgets.md. */

import { DAY_MS } from "../../../server/management/core/idempotency.ts";
import { MAX_CREDITS_USD } from "../../../shared/management/credits.ts";
import { EXPIRING_DAYS, NEARLY_SHARE, UNUSED_DAYS } from "../../../shared/management/lists/key_sorts.ts";
import { MAX_BULK_KEYS } from "../../../shared/management/keys.ts";
import { ACTIVITY_DAYS } from "../../../shared/management/activity.ts";
import { apiErrorKinds as kinds, statusForOperation } from "../../../shared/errors.ts";
import { type HeldPage, says } from "./held_page.ts";

const CREDITS = "tests/http/credits_test.ts";
const FORECAST = "server/management/analytics/limit_forecast_test.ts";
const GUARDRAILS = "tests/http/guardrails_test.ts";
const LISTS = "tests/http/key_lists_test.ts";
const KEYS = "shared/management/keys.ts";
const EXAMPLE = "An example.";

const { forbidden, not_found, payment_required } = kinds;
const changed = statusForOperation("update_key", "precondition_failed");

export const keysAndWorkspaces: HeldPage = {
  rows: [
    [
      "it looks at 20,000 entries",
      "server/management/audit/audit_operations.ts",
      "const SEARCHED = 20_000;",
    ],
    ["the youngest first, 100 a page", KEYS, "newest first, 100 per page"],
    [
      "or `workspace_id=all` is 400",
      LISTS,
      "GET /keys with offset takes a limit, and refuses what has no offset",
    ],
    says`\`expiring\` (within ${EXPIRING_DAYS} days), \`nearly\` (at ${NEARLY_SHARE * 100} % of the limit)`,
    says`\`unused\` (for ${UNUSED_DAYS} days, and as old)`,
    says`changes up to ${MAX_BULK_KEYS} keys`,
    ["more than 200,000 keys", "server/management/keys/lists/key_survey.ts", "const MOST_KEYS = 200_000;"],
    [
      "to the hour for the last 31 days",
      "server/management/keys/lists/last_use.ts",
      "const HOURLY_DAYS = 31;",
    ],
    [
      "the 1,000 keys that spent most this month",
      "server/management/keys/lists/top_spenders.ts",
      "const MOST = 1_000;",
    ],
    says`as \`If-Match\` refuses (${changed}, \`metadata.conflict\`)`,
    ["`overlap_seconds` (0 by default, at most a week)", KEYS, "z.int().min(0).max(604_800).default(0)"],
    says`(\`days\`, ${ACTIVITY_DAYS} by default)`,
    says`repeated within ${DAY_MS / 3_600_000} hours`,
    says`that its keys may not use (${forbidden.status})`,
    [
      "the default one needs `?confirm_default_workspace_deletion=true`",
      "server/management/workspaces/workspace_operations_test.ts",
      "workspaces.delete asks for a word about the default workspace",
    ],
    says`above it requests are refused with ${payment_required.status}`,
    says`a limit for each key (${forbidden.status} above it)`,
  ],
  others: [["spend 25 USD a month", EXAMPLE]],
};

export const creditsAndBudgets: HeldPage = {
  rows: [
    says`for ever | ${payment_required.status}, \`key\``,
    says`${payment_required.status}, \`workspace_budget\``,
    says`${forbidden.status}, \`guardrail\``,
    says`${payment_required.status}, \`credits\``,
    says`whose price nobody knows is refused with ${not_found.status}`,
    says`The status is ${forbidden.status} and not ${payment_required.status}`,
    ["0 while they are no limit", CREDITS, "total_credits: 0, total_usage: 0.011, unlimited: true"],
    ["begins at a total of 0, and still counts all", CREDITS, "and the next credits begin at nothing"],
    [
      "A total of 0 is not the same as cleared credits",
      "tests/money/limits_test.ts",
      "a limit of zero lets free models through and nothing else",
    ],
    [
      "it is a limit of 0",
      "tests/money/limits_test.ts",
      "a limit of zero lets free models through and nothing else",
    ],
    ["down to a total of 0", CREDITS, "POST /credits names the amount that cannot be"],
    says`The total may be up to ${MAX_CREDITS_USD} USD`,
    ["Days begin at 00:00 UTC", "server/billing/ledger/core/counters/bucket_names_test.ts", "bucketNamesAt"],
    ["the average of the last seven days", FORECAST, "by the average of the last seven days"],
    ["from the assignment on", GUARDRAILS, "a guardrail's limit refuses each key for itself with 403"],
  ],
  others: [
    ["cost up to 0.008702 USD", EXAMPLE],
    ["a guardrail of 5 USD a day", EXAMPLE],
    ["ten keys with a guardrail", EXAMPLE],
    ["spend 50 together", EXAMPLE],
    ["limit is 25 USD, of which 24.9981 USD are spent", EXAMPLE],
    ["a limit of 40 with 30 spent leaves 10", EXAMPLE],
    ["on a gateway that has spent 40, adding 50 leaves 10, and adding 30 stops everybody", EXAMPLE],
  ],
};
