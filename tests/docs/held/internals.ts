/** docs/internals/. */

import { SESSION_MS } from "../../../server/api/console/console_sessions.ts";
import { SECRET_BYTES } from "../../../server/api/console/session_cookie.ts";
import { PER_MINUTE } from "../../../server/api/console/sign_in_attempts.ts";
import { SHARD_COUNT } from "../../../server/billing/ledger/projection/shard_checkpoints.ts";
import { MINUTE_ROWS_RETENTION_MS } from "../../../server/billing/ledger/retention/minute_usage_job.ts";
import { limitsSchema } from "../../../server/config/limits.ts";
import { EXIT_USAGE } from "../../../server/app/exit_with_error.ts";
import { KEPT_DAYS, MOST_LOGGED } from "../../../server/management/alerts/alert_book.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { DAY_MS } from "../../../server/management/core/idempotency.ts";
import { REUSE_DELAY_MS } from "../../../server/providers/upstream/connections/reuse_delay.ts";
import { SINGLE_USE_MS } from "../../../server/providers/upstream/connections/single_use_origins.ts";
import { MAX_OPENED } from "../../../server/sandbox/bubblewrap/network/box_network.ts";
import { MAX_DATA_BYTES } from "../../../server/sandbox/bubblewrap/network/forwarder_messages.ts";
import { programs, sessionPrograms } from "../../../server/sandbox/keeper/programs.ts";
import { CLOCK_FACTOR, MAX_UNCOUNTED_MS, UNCOUNTED_REACH } from "../../../server/sandbox/keeper/messages.ts";
import { FIRST_PAUSE_MS } from "../../../server/sandbox/keeper/start_keeper.ts";
import { MAX_BODY_BYTES } from "../../../server/web/fetch/guarded_fetch.ts";
import { READ_MS } from "../../../server/web/reader/read_deadlines.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { type HeldPage, inWords, mib, says, seconds, timeInWords } from "./held_page.ts";

const HTTP = "server/http/http_server/default_options.ts";
const HEAD = "server/http/http_server/request_head.ts";
const HEADS = "tests/http_server/request_heads_test.ts";
const MULTIPART = "server/api/body/read_multipart.ts";
const FETCH = "server/web/fetch/guarded_fetch.ts";
const LATE = "server/providers/upstream/connections/connection_pools.ts";
const KEEPER = "server/sandbox/keeper";
const NETWORK = "server/sandbox/bubblewrap/network";
const FORWARDING = "server/sandbox/containers/forwarding";
const MEASURED = "Measured, or the size of a package of others.";

const limits = limitsSchema.parse({});
const { timeMs, memoryKib, outputBytes } = programs.reader;

export const network: HeldPage = {
  rows: [
    ["at most 60 s)", `${FORWARDING}/forwarded_calls.ts`, "const TURN_MS = 60_000;"],
    [
      "after 5 s of silence, and messages",
      `${FORWARDING}/forwarding_messages.ts`,
      "export const BEAT_MS = 5_000;",
    ],
    [
      "up to 16 MiB each",
      `${FORWARDING}/forwarding_messages.ts`,
      "export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;",
    ],
    ["(401, one sentence)", "tests/http/forwarded_calls_test.ts", "is refused, always in the same words"],
    [
      "holds for 60 s in both directions",
      `${FORWARDING}/call_signatures.ts`,
      "export const MAX_SKEW_MS = 60_000;",
    ],
    ["What does not pass is refused with 400", HEADS, "const LINE = [400, 414, 501, 505];"],
    ["HTTP/1.1 or 1.0. HTTP/2 without TLS (h2c) is refused with 505", HEADS, "const VERSION = [400, 505];"],
    [
      "headers: 64 KiB and 200 fields (414, 431)",
      HEAD,
      "const MAX_HEAD = 64 * 1024;\nconst MAX_FIELDS = 200;",
    ],
    [
      "with a limit of 5 USD a day",
      "server/management/system_keys/system_keys.ts",
      'playground: { name: "Console playground", dailyLimit: 5 }',
    ],
    ["in 30 s (408)", HTTP, "const HEAD_MS = 30_000;"],
    ["closed after 10 s without a first byte", HTTP, "const FIRST_BYTE_MS = 10_000;"],
    ["and 75 s without a further request", HTTP, "const IDLE_MS = 75_000;"],
    [
      "(limit on open files − 64) ÷ 2",
      "server/config/limits.ts",
      "Math.floor((fileLimit - OTHER_FILES) / 2)",
    ],
    ["where none is idle the request gets 503", "tests/http_server/accept_test.ts", "and nobody is idle"],
    [
      "any `Transfer-Encoding` but `chunked` is 400",
      "server/http/http_server/deno_serve.ts",
      "the only Transfer-Encoding is chunked",
    ],
    [
      "at most 20 parts, 8 KiB of headers a part, 64 KiB of texts",
      MULTIPART,
      "const MAX_TEXT_BYTES = 64 * 1024;\nconst MAX_PARTS = 20;\nconst MAX_HEADER_BYTES = 8 * 1024;",
    ],
    says`is JSON (${kinds.invalid_request.status}); bounded in size (${kinds.too_large.status}), time (${kinds.slow_request.status}), depth and number of keys (${kinds.invalid_request.status})`,
    says`A session is ${SECRET_BYTES * 8} random bits`,
    says`It lasts ${inWords(SESSION_MS / 3_600_000)} hours`,
    [
      "ends after 30 minutes without use",
      "server/api/console/console_sessions.ts",
      "const IDLE_MS = 30 * 60_000;",
    ],
    says`(other instances: within ${timeInWords(UNSEEN_MS)})`,
    says`F${inWords(PER_MINUTE).slice(1)} failed sign-ins a minute`,
    ["works once, for ten minutes", "server/api/console/sign_in_link.ts", "10 * 60_000"],
    ["At most 5 redirects", FETCH, "const MAX_REDIRECTS = 5;"],
    says`${mib(MAX_BODY_BYTES)} after decompression`,
    ["20 s in all", FETCH, "const TIMEOUT_MS = 20_000;"],
    says`are refused (${kinds.not_found.status}), and an address`,
    says`behind its last response for ${REUSE_DELAY_MS} ms`,
    [
      "where 128 unused ones to an origin are not enough for that, above a thousand requests a second",
      LATE,
      "const MANY_IDLE = 128;",
    ],
    says`for the next ${SINGLE_USE_MS / 60_000} minutes`,
    says`within those ${REUSE_DELAY_MS} ms`,
    says`comes later than ${REUSE_DELAY_MS} ms`,
  ],
  others: [["without `unsafe-inline`", "A word that the policy does not have."]],
};

export const isolation: HeldPage = {
  rows: [
    says`after ${seconds(timeMs)} s of the processor (${seconds(timeMs * CLOCK_FACTOR)} s by the clock`,
    says`${seconds(READ_MS)} s by the clock for documents`,
    says`or at ${memoryKib / 1024} MiB`,
    ["(`oom_score_adj` 1000)", `${KEEPER}/watched_child.ts`, '/oom_score_adj`, "1000")'],
    ["V8's heap limit of 384 MiB", `${KEEPER}/programs.ts`, "--max-old-space-size=384"],
    says`at most ${mib(outputBytes)}, checked by a schema`,
    says`starts it again, after ${timeInWords(FIRST_PAUSE_MS)} at first`,
    ["half a minute at most", `${KEEPER}/start_keeper.ts`, "const WAIT_MS = 30_000;"],
    says`by the clock ${inWords(CLOCK_FACTOR)} times as late`,
    ["at 1.25 times its memory", `${KEEPER}/child_session.ts`, "const MEMORY_REACH = 1.25;"],
    says`at most ${seconds(UNCOUNTED_REACH * MAX_UNCOUNTED_MS)} s of the processor`,
    says`more than ${seconds(sessionPrograms.sandbox.idleWorkMs)} s of the processor with nothing to do`,
    says`Of each connection ${MAX_DATA_BYTES / 1024} KiB at most are under way`,
    ["16 are open at the same time", `${NETWORK}/forwarder.ts`, "const MAX_CONNECTIONS = 16;"],
    says`and after ${MAX_OPENED} of one command`,
    [
      "store's file and its copies have mode 0600",
      "server/storage/stores/embedded/private_file.ts",
      "const PRIVATE = 0o600;",
    ],
    ["the last three characters", "server/management/byok/byok_rows.ts", "const SHOWN = 3;"],
    says`the start ends with status ${EXIT_USAGE}`,
  ],
  others: [
    ["its own memory is about 9 MiB", MEASURED],
    ["where the system has `setpriv`", "A program of the system."],
  ],
};

export const data: HeldPage = {
  rows: [
    says`(${limits.receipt_days} unless set)`,
    says`of each of ${SHARD_COUNT} shards`,
    says`${inWords(KEPT_DAYS)} days after its period`,
    says`goes ${inWords(KEPT_DAYS)} days after it was raised`,
    says`after ${inWords(KEPT_DAYS)} days, or when ${MOST_LOGGED} newer ones are there`,
    says`minutes after ${MINUTE_ROWS_RETENTION_MS / 3_600_000 + 1} hours`,
    [
      "after seven days (`retention/task_rows_job.ts`)",
      "tests/routers/receipts_test.ts",
      "votes count for seven days",
    ],
    [
      "two days after its own ended",
      "server/billing/ledger/quota/quota_store.ts",
      "const ENDED_MS = 2 * 86_400_000;",
    ],
    says`${DAY_MS / 3_600_000} hours later, some a minute`,
  ],
  others: [["ISO 8601", "The name of a standard."]],
};

export const testing: HeldPage = {
  rows: [],
  others: [["# Tests", "How tests are run and measured; nothing of the product."]],
};
export const dependencies: HeldPage = { rows: [], others: [["# Dependencies", MEASURED]] };
export const taskClassifier: HeldPage = {
  rows: [],
  others: [[
    "# Task of a request",
    "tests/tasks prints these figures, and weights_test holds the committed weights.",
  ]],
};
