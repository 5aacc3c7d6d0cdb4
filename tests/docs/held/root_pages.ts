/** README.md and SECURITY.md. */

import { SESSION_MS } from "../../../server/api/console/console_sessions.ts";
import { SECRET_BYTES } from "../../../server/api/console/session_cookie.ts";
import { envSettings } from "../../../server/config/env_settings.ts";
import { limitsSchema } from "../../../server/config/limits.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { DAY_MS } from "../../../server/management/core/idempotency.ts";
import { KEY_BYTES } from "../../../shared/keys.ts";
import { REUSE_DELAY_MS } from "../../../server/providers/upstream/connections/reuse_delay.ts";
import { programs } from "../../../server/sandbox/keeper/programs.ts";
import { SINGLE_USE_MS } from "../../../server/providers/upstream/connections/single_use_origins.ts";
import { MAX_BODY_BYTES } from "../../../server/web/fetch/guarded_fetch.ts";
import { apiErrorKinds as kinds, statusForOperation } from "../../../shared/errors.ts";
import { type HeldPage, inWords, mib, says, seconds, timeInWords } from "./held_page.ts";

const DOCTOR = "server/app/doctor.ts";
const MATRIX = "tests/http/operations_test.ts";
const FETCH = "server/web/fetch/guarded_fetch.ts";
const REFUSED = "tests/faults/statuses_test.ts";
const START = "tests/start_test.ts";
const MEASURED = "Measured by `deno task bench` and by the kill tests, by hand.";

const { timeMs, memoryKib } = programs.reader;

export const readme: HeldPage = {
  rows: [
    [
      "With Deno 2.9, or with nothing but Node",
      "server/config/process/deno_version_test.ts",
      "a Deno older than 2.9",
    ],
    ["1,000 requests at once against a limit of 0.01 USD", DOCTOR, "const REQUESTS = 1_000;"],
    ["a limit under 1,000 requests at once", DOCTOR, "const REQUESTS = 1_000;"],
  ],
  others: [
    ["which takes up to half an hour on two cores", MEASURED],
    ["425 of 425 cases of the official clients pass", MEASURED],
    ["over 100 kills of the process under load", MEASURED],
    ["7 to 12 times Portkey's requests", MEASURED],
    ["answers its first request within a second", MEASURED],
    ["| 100 kills under load", MEASURED],
    ["of the last 24 hours", "The description of a picture."],
    ["(CC BY-SA 4.0, Apache-2.0)", "Names of licences."],
  ],
};

export const security: HeldPage = {
  rows: [
    says`| ${KEY_BYTES * 8} random bits, shown once`,
    says`\`Idempotency-Key\` (${DAY_MS / 3_600_000} hours)`,
    says`is so at once, on other instances within ${timeInWords(UNSEEN_MS)}`,
    says`each ended after ${seconds(timeMs)} s or at ${memoryKib / 1024} MiB`,
    says`ended after ${seconds(timeMs)} s of the processor or at ${memoryKib / 1024} MiB`,
    says`what is not listed is ${kinds.not_found.status}`,
    says`listens on \`${envSettings.host.fallback}\` by default`,
    says`It is ${envSettings.faultLab.fallback ? "on" : "off"} by default`,
    says`| yes | ${kinds.forbidden.status} | ${kinds.forbidden.status} |`,
    [
      "| yes | yes | 403 |",
      MATRIX,
      "every operation of the table has its line in the matrix, and says the same",
    ],
    [
      "| its own record | its own record | 403 |",
      MATRIX,
      "every operation of the table has its line in the matrix",
    ],
    [
      "any other id 404, like one that is not there",
      "tests/files/operations_test.ts",
      "nobody another workspace's",
    ],
    [
      "files of the workspace that is named | 403 |",
      MATRIX,
      "every operation of the table has its line in the matrix",
    ],
    [
      "| 403 | files that the server made; an upload is 400 | 403 |",
      "tests/files/operations_test.ts",
      "400 of an upload, in this order",
    ],
    ["| `POST /v1/keys` | 403 | yes", MATRIX, "every operation of the table has its line in the matrix"],
    says`| \`PATCH\` and \`DELETE /v1/keys/{hash}\` | ${statusForOperation("update_key", "forbidden")} | yes`,
    says`any other hash ${kinds.not_found.status}, like one that is not there`,
    ["| 403 | yes | 403 |", MATRIX, "every operation of the table has its line in the matrix"],
    [
      "A read-only management key gets 403",
      MATRIX,
      "every operation that changes something refuses a read-only management key",
    ],
    says`(${
      statusForOperation("update_key", "forbidden")
    } for \`PATCH /v1/keys/{hash}\`, whose specification knows no ${kinds.forbidden.status})`,
    says`the hash of a management key is ${kinds.not_found.status} there`,
    [
      "deleted credential is 401 on every other route",
      MATRIX,
      "every operation answers everything that is no key with one and the same 401",
    ],
    says`After ${limitsSchema.parse({}).failed_keys_per_minute} failures in a minute`,
    says`an address gets ${kinds.rate_limited.status} for further failures`,
    ["(32 characters at least;", "server/config/env_settings.ts", "(at least 32 characters)"],
    ["of the data folder, mode 0600. On Deno Deploy", START, "0o100600"],
    says`A session is ${SECRET_BYTES * 8} random bits in a cookie`,
    says`It lasts ${inWords(SESSION_MS / 3_600_000)} hours`,
    [
      "ends after 30 minutes without use",
      "server/api/console/console_sessions.ts",
      "const IDLE_MS = 30 * 60_000;",
    ],
    ["in the data folder, mode 0600), each bound", START, "/master.key`)).mode ?? 0o600) & 0o777, 0o600"],
    [
      "The store's file and its copies have mode 0600",
      "server/storage/stores/embedded/private_file.ts",
      "const PRIVATE = 0o600;",
    ],
    ["at most 5 redirects with the whole check each", FETCH, "const MAX_REDIRECTS = 5;"],
    says`no cookie or credential, ${mib(MAX_BODY_BYTES)}, 20 s`,
    ["HTTP/1.1 and 1.0 only", "tests/http_server/request_heads_test.ts", "const VERSION = [400, 505];"],
    [
      "headers are refused with 400",
      "tests/http_server/request_heads_test.ts",
      "const LINE = [400, 414, 501, 505];",
    ],
    says`behind its last response for ${REUSE_DELAY_MS} ms`,
    [
      "above a thousand requests a second",
      "server/providers/upstream/connections/connection_pools.ts",
      "const MANY_IDLE = 128;",
    ],
    says`has its connections used once for ${inWords(SINGLE_USE_MS / 60_000)} minutes`,
    ["a provider's 401, 402 or 403 is not passed on as one", REFUSED, "blames no client for our refused key"],
  ],
  others: [
    ["You get an answer within a week", "A promise of people."],
    ["here for the default folder and port", "A name."],
  ],
};
