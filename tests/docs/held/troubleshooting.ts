/** docs/troubleshooting.md; tests/docs/troubleshooting_test.ts holds its quoted texts. */

import { MAX_WAIT_DEADLINES } from "../../../server/storage/stores/postgres/statements.ts";
import { CONNECTIONS } from "../../../server/storage/stores/postgres/open_postgres.ts";
import { INSTANCE_LEASE_MS } from "../../../server/billing/ledger/quota/lease.ts";
import { PER_MINUTE } from "../../../server/api/console/sign_in_attempts.ts";
import { RATE_WINDOW_MS } from "../../../server/billing/rate_limits/usage_meters.ts";
import { MAX_TIMEOUT_MS } from "../../../server/pipeline/tools/containers/container_call.ts";
import { WAIT_MS } from "../../../server/sandbox/process_pool.ts";
import { type HeldPage, inWords, says, seconds } from "./held_page.ts";

const LIMITS = "server/config/limits.ts";
const HEALTH = "server/pipeline/routing/health/endpoint_health.ts";

export const troubleshooting: HeldPage = {
  rows: [
    [
      "make a second key of at least 32 characters",
      "server/config/env_settings.ts",
      "(at least 32 characters)",
    ],
    ["they failed or answered 429 a moment ago", HEALTH, "const FIRST_REST_MS = 5_000;"],
    ["helps within a minute: one request a minute asks", HEALTH, "const REFUSED_REST_MS = 60_000;"],
    ["took longer than 60 s", LIMITS, "first_byte_seconds ?? 60"],
    ["(300 s at servers of your own)", LIMITS, "first_byte_seconds ?? 300"],
    says`too many requests within ${seconds(RATE_WINDOW_MS)} s`,
    says`all processes were busy for ${seconds(WAIT_MS)} s`,
    says`a larger \`timeout_ms\`, ${seconds(MAX_TIMEOUT_MS)} s at most`,
    says`| ${inWords(PER_MINUTE)} wrong keys in a minute`,
    // Beside those for statements one holds the lock of the store, and one sets the database up.
    says`each gateway needs ${CONNECTIONS + 2} connections`,
    says`than its ${CONNECTIONS} connections to PostgreSQL`,
    says`the time is ${inWords(MAX_WAIT_DEADLINES)} times \`limits.store_seconds\``,
    [
      "refuses the call (401:",
      "tests/http/forwarded_calls_test.ts",
      "is refused, always in the same words",
    ],
    says`could not write to the store for ${seconds(INSTANCE_LEASE_MS)} s`,
  ],
  others: [
    ["for the reason behind `because`", "A word of the text."],
    ["`PORT` to 1024 or more", "A rule of operating systems."],
    ["mostly two slashes in a row", "A mistake of clients."],
  ],
};
