/** docs/operations.md. */

import { LEASE_MS, RENEW_MS } from "../../../server/sandbox/containers/container_leases.ts";
import { MAX_SKEW_MS } from "../../../server/sandbox/containers/forwarding/call_signatures.ts";
import { SILENT_MS } from "../../../server/sandbox/containers/forwarding/forwarding_messages.ts";
import { WARM_MS } from "../../../server/sandbox/process_pool.ts";
import { EXIT_STORE, EXIT_USAGE } from "../../../server/app/exit_with_error.ts";
import { REPETITION_MS } from "../../../server/app/stop_signals.ts";
import { limitsSchema } from "../../../server/config/limits.ts";
import { AHEAD_DAYS } from "../../../server/providers/catalog/retirements.ts";
import { SINGLE_USE_MS } from "../../../server/providers/upstream/connections/single_use_origins.ts";
import { FIRST_PAUSE_MS, MAX_PAUSE_MS, WELL_MS } from "../../../server/sandbox/keeper/start_keeper.ts";
import { CONNECTIONS } from "../../../server/storage/stores/postgres/open_postgres.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { type HeldPage, inWords, says, seconds, timeInWords } from "./held_page.ts";

const DOCTOR = "server/app/doctor.ts";
const ADMIN = "server/cli/admin_command_test.ts";
const READY = "tests/http/routes_test.ts";
const START = "server/app/start.ts";
const SIGNALS = "server/app/stop_signals_test.ts";

export const operations: HeldPage = {
  rows: [
    ["the command ends with status 1", ADMIN, "a refusal as a sentence"],
    says`lacks \`--yes\`, ends with status ${EXIT_USAGE}`,
    ["hashes are shown by their first 12 characters", "server/cli/format_reply.ts", "([\\da-f]{12})"],
    ["(six characters or more)", "server/cli/hash_prefix.ts", "const beginning = /^[\\da-f]{6,63}$/;"],
    says`status ${EXIT_USAGE} (a setting) or ${EXIT_STORE} (the store)`,
    says`ended or end within ${AHEAD_DAYS} days`,
    says`One is made at a time (${kinds.rate_limited.status})`,
    says`it is ${kinds.invalid_request.status} and says what to do instead`,
    ["a path of more than 256 characters is cut", "server/api/access_log.ts", "const MOST_CHARS = 256;"],
    ["with 1,000 requests at once", DOCTOR, "const REQUESTS = 1_000;"],
    ["That key has a limit of 0.01 USD", "server/cli/checks/overspend_check.ts", "const LIMIT = 0.01;"],
    [
      "The exit status is 1 when a check fails",
      "tests/cli/doctor_test.ts",
      'found.source.includes("failed") ? 1 : 0',
    ],
    // Beside those for statements one holds the lock of the store, and one sets the database up.
    says`up to ${CONNECTIONS + 2} connections`,
    [
      "warns at its start and within a minute",
      "server/storage/files/shared_files_test.ts",
      "is told at its start, and the others within a minute",
    ],
    says`ends with status ${EXIT_STORE} when it was emptied`,
    says`requests are refused with ${kinds.unavailable.status} until it is back`,
    says`ends with status ${EXIT_STORE} when receipts in it are damaged`,
    [
      "up to 64 MiB all of them are read",
      "server/storage/stores/embedded/check_file.ts",
      "const READ_WHOLE_BYTES = 64 * 1024 * 1024;",
    ],
    ["| 200 while the process runs", READY, "GET /healthz and /readyz need no key"],
    ["| 200 when requests can be served, else 503", READY, "GET /healthz and /readyz need no key"],
    [
      "failures of the last five minutes",
      "server/pipeline/routing/health/endpoint_stats_test.ts",
      "LiveStats tells which share of attempts went well in 5 minutes",
    ],
    says`carries one request for ${inWords(SINGLE_USE_MS / 60_000)} minutes`,
    says`after ${timeInWords(FIRST_PAUSE_MS)}, then after 2, 4 … ${
      seconds(MAX_PAUSE_MS)
    } s where it ends again within ${timeInWords(WELL_MS)}`,
    ["wait for the keeper up to 30 s", "server/sandbox/keeper/start_keeper.ts", "const WAIT_MS = 30_000;"],
    says`keeps it for ${seconds(LEASE_MS)} s`,
    says`renews its lease on the container, every ${seconds(RENEW_MS)} s`,
    says`held still for ${seconds(LEASE_MS)} s`,
    says`Clocks may be up to ${seconds(MAX_SKEW_MS)} s apart`,
    says`is kept for ${seconds(WARM_MS)} s behind a command`,
    says`says nothing for ${seconds(SILENT_MS)} s`,
    [
      "has not renewed its lease for 60 s",
      "server/billing/ledger/quota/dead_instance_recovery.ts",
      "const INSTANCE_DEAD_MS = 60_000;",
    ],
    says`\`drain_seconds\` (${limitsSchema.parse({}).drain_seconds} s) to end`,
    ["It is gone 15 s later at the latest", START, "const LEDGER_END_MS = 7_500;"],
    ["give it 40 s before a kill", START, "const LEDGER_END_MS = 7_500;"],
    [
      "Exit status 0 says that every receipt is in the store. 1 says",
      SIGNALS,
      "ends when running requests have ended",
    ],
    ["A second signal ends it at once, with 1", SIGNALS, "ends at once by a later"],
    says`one within ${timeInWords(REPETITION_MS)} of the first is taken for a repetition`,
  ],
  others: [
    ["`synchronous_standby_names`", "A setting of PostgreSQL."],
    [
      "(tested with version 15;",
      "The version that the tests are run with.",
    ],
    ["systemd 257 of Debian 13", "A run by hand."],
    ["stopped it with status 0", "The same."],
  ],
};
