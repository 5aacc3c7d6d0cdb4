/**
 * Statements of the documents, each with what holds it: numbers, defaults, limits, times, sizes and statuses.
 * `limits` in docs/errors.md has a test of its own, which reads the table, and so has docs/troubleshooting.md.
 */

import { autoRouting } from "./held/auto_routing.ts";
import { fusion } from "./held/fusion.ts";
import { guardrails } from "./held/guardrails.ts";
import { migrating } from "./held/migrating.ts";
import { plugins } from "./held/plugins.ts";
import { providers } from "./held/providers.ts";
import { settings } from "./held/settings.ts";
import { troubleshooting } from "./held/troubleshooting.ts";
import type { HeldByLine, HeldPage, NotHeld } from "./held/held_page.ts";

const LIMITS = "server/config/limits.ts";
const JSON_LIMITS = "server/api/body/json_limits.ts";
const MULTIPART = "server/api/body/read_multipart.ts";
const FILE_TEXT = "server/management/files/file_text.ts";
const RATE_METERS = "server/billing/rate_limits/usage_meters.ts";
const KEEPER = "server/sandbox/keeper/start_keeper.ts";
const HEALTH = "server/pipeline/routing/health/endpoint_health.ts";
const SESSIONS = "server/api/console/console_sessions.ts";
const DOCTOR = "server/app/doctor.ts";
const OVERSPEND = "server/cli/checks/overspend_check.ts";
const KEYS = "shared/management/keys.ts";
const VOICES = "server/local_provider/voices/voice_package.ts";
const HTTP = "server/http/http_server/default_options.ts";
const CONTAINER_FILES = "server/sandbox/containers/file_list.ts";
const CONTAINER_CALL = "server/pipeline/tools/containers/container_call.ts";
const SANDBOX = "server/config/sandbox_settings.ts";
const MESSAGES = "server/sandbox/messages.ts";

const EXAMPLE = "An example.";

const byLine: Readonly<Record<string, readonly HeldByLine[]>> = {
  errors: [
    [
      "JSON may be 64 levels deep, with at most 200,000 keys and 1,000,000 values",
      JSON_LIMITS,
      "{ maxDepth: 64, maxKeys: 200_000, maxValues: 1_000_000 }",
    ],
  ],
  files: [
    ["`tg_file_` and 32 characters", "shared/files.ts", "/^tg_file_[\\da-f]{32}$/"],
    [
      "A request may have 20 MiB of such files",
      "server/pipeline/stages/input_files.ts",
      "const MAX_BYTES = 20 * 1024 * 1024;",
    ],
    ["a PDF or text of up to 10 MiB", FILE_TEXT, "const MAX_BYTES = 10 * 1024 * 1024;"],
    ["`text` (100,000 characters,", FILE_TEXT, "const MAX_CHARACTERS = 100_000;"],
    [
      "Content is passed on up to 512 MiB",
      "server/management/files/provider_files.ts",
      "const MAX_BYTES = 512 * 1024 * 1024;",
    ],
    ["| `file_bytes` | 100 MiB, else 413", LIMITS, ".default(100 * MIB)"],
    ["| `upload_seconds` | 600 s;", LIMITS, "upload_seconds: seconds(600)"],
    ["no slower than 1 KiB/s over 10 s", MULTIPART, "const WINDOW_BYTES = 10 * 1024;"],
    ["1 KiB/s over 10 s, else 400", MULTIPART, "const WINDOW_MS = 10_000;"],
    ["| `workspace_file_bytes` | 10 GiB,", LIMITS, ".default(10 * 1_024 * MIB)"],
    ["10 GiB, and 100,000 files", "server/storage/files/file_limits.ts", "const MAX_FILES = 100_000;"],
    ["1 to 255 characters", "server/storage/files/file_name.ts", "const MAX_CHARACTERS = 255;"],
    ["| 20, with 64 KiB together", MULTIPART, "const MAX_TEXT_BYTES = 64 * 1024;"],
  ],
  "limits-and-billing": [
    ["to 256 tokens at least", "server/billing/ledger/core/reservation_attempt.ts", "const MIN_CAP = 256;"],
    [
      "cost 2.5 times as much",
      "server/billing/pricing/unit_prices.ts",
      "export const premiumMultiple = 2.5;",
    ],
    [
      "a document by its pages at 2,500 tokens",
      "server/billing/pricing/media_estimate.ts",
      "const TOKENS_PER_PAGE = 2_500;",
    ],
    [
      "or 50 tokens a second",
      "server/pipeline/stages/billing/token_estimate.ts",
      "const USUAL_SPEED = 50;",
    ],
    ["A minute is any 60 seconds", RATE_METERS, "export const RATE_WINDOW_MS = 60_000;"],
    ["start within any 60 s", RATE_METERS, "export const RATE_WINDOW_MS = 60_000;"],
    [
      "up to 1,024 tokens of output",
      "server/pipeline/stages/rate_limit.ts",
      "const USUAL_OUTPUT_TOKENS = 1_024;",
    ],
    [
      "keeps its part for 75 s",
      "server/billing/rate_limits/instance_liveness.ts",
      "export const INSTANCE_GONE_MS = 10_000 + RATE_WINDOW_MS + 5_000;",
    ],
  ],
  operations: [
    ["hashes are shown by their first 12 characters", "server/cli/format_reply.ts", "([\\da-f]{12})"],
    ["with 1,000 requests at once", DOCTOR, "const REQUESTS = 1_000;"],
    ["That key has a limit of 0.01 USD", OVERSPEND, "const LIMIT = 0.01;"],
    // Ten for statements, one that holds the lock of the store, one that sets the database up.
    ["up to 12 connections", "server/storage/stores/postgres/open_postgres.ts", "const CONNECTIONS = 10;"],
    [
      "up to 64 MiB all of them are read",
      "server/storage/stores/embedded/check_file.ts",
      "const READ_WHOLE_BYTES = 64 * 1024 * 1024;",
    ],
    ["after 2, 4 … 60 s where it ends again", KEEPER, "const MAX_PAUSE_MS = 60_000;"],
    ["wait for the keeper up to 30 s", KEEPER, "const WAIT_MS = 30_000;"],
    [
      "has not renewed its lease for 60 s",
      "server/billing/ledger/quota/dead_instance_recovery.ts",
      "const INSTANCE_DEAD_MS = 60_000;",
    ],
    ["`drain_seconds` (25 s) to end", LIMITS, "drain_seconds: seconds(25)"],
    ["It is gone 15 s later at the latest", "server/app/start.ts", "const LEDGER_END_MS = 7_500;"],
    ["give it 40 s before a kill", "server/app/start.ts", "const LEDGER_END_MS = 7_500;"],
  ],
  "behind-a-proxy": [
    ["uploads of 100 MiB", LIMITS, ".default(100 * MIB)"],
    ["files have up to 100 MiB", LIMITS, ".default(100 * MIB)"],
    ["other bodies up to 32 MiB", LIMITS, ".default(32 * MIB)"],
    ["the gateway closes them after 75 s", HTTP, "const IDLE_MS = 75_000;"],
    ["so 60 s suffice", LIMITS, "heartbeat_seconds: seconds(10)"],
    ["nginx would answer 504 after 60 s", "tests/proxies/front_test.ts", "reads for 60 s."],
    [
      "nginx refuses more than 1 MiB by itself",
      "tests/proxies/front_test.ts",
      "nginx refuses that body itself",
    ],
    ["nginx does after 60 s", "tests/proxies/front_test.ts", "keeps unused ones for 60 s"],
  ],
  console: [
    ["after 30 minutes without use", SESSIONS, "const IDLE_MS = 30 * 60_000;"],
    ["A session lasts eight hours", SESSIONS, "export const SESSION_MS = 8 * 3_600_000;"],
    ["over 1 h to 30 d", "console/models/series.ts", 'text: "30 d"'],
    ["Five wrong keys in a minute", "server/api/console/sign_in_attempts.ts", "const PER_MINUTE = 5;"],
    ["for ten minutes, from the same machine", "server/api/console/sign_in_link.ts", "10 * 60_000"],
  ],
  "rotate-keys": [
    ["at most a week, 604,800 s", KEYS, ".max(604_800)"],
    ["(at least 32 characters)", "server/config/env_settings.ts", "(at least 32 characters)"],
    ["Running requests get 25 s to end", LIMITS, "drain_seconds: seconds(25)"],
  ],
  speech: [
    [
      "Up to 200,000 characters are spoken",
      "shared/speech.ts",
      "export const MAX_INPUT_CHARACTERS = 200_000;",
    ],
    ["up to 15 MiB and", "shared/speech.ts", "15 MiB of sound"],
    ["1 to 600 s of WAV", "server/speech/voice_reference.ts", "const LONGEST = 600;"],
  ],
  "simulator-and-fault-lab": [
    ["(12 MB, checked)", VOICES, "12 MB"],
    ["at 1 USD per million tokens either way", "server/providers/rows/local_provider.ts", "local/priced"],
    [
      "sends one event of 64 MiB",
      "server/local_provider/fault_lab/fault_responses.ts",
      "const HUGE_BYTES = 64 * 1024 * 1024;",
    ],
  ],
  "keys-and-workspaces": [
    [
      "the 1,000 keys that spent most this month",
      "server/management/keys/lists/top_spenders.ts",
      "const MOST = 1_000;",
    ],
    [
      "repeated within 24 hours",
      "server/management/core/idempotency.ts",
      "const DAY_MS = 86_400_000;",
    ],
  ],
  "credits-and-budgets": [
    [
      "The total may be up to 9,000,000 USD",
      "shared/management/credits.ts",
      "export const MAX_CREDITS_USD = 9_000_000;",
    ],
  ],
  routing: [
    ["three times in a row", HEALTH, "const IN_A_ROW = 3;"],
    ["five times in half a minute", HEALTH, "const IN_WINDOW = 5;"],
    ["cools down for 5 s", HEALTH, "const FIRST_REST_MS = 5_000;"],
    ["doubling to 30 s", HEALTH, "const LONGEST_REST_MS = 30_000;"],
    ["asked again within 30 s of its end", HEALTH, "const LONGEST_REST_MS = 30_000;"],
    ["Silence before the head: 60 s of a stream", LIMITS, "first_byte_seconds ?? 60"],
    ["Silence behind the head: 120 s of a stream", LIMITS, "silence_seconds: seconds(120)"],
    ["10 minutes of a whole answer", LIMITS, "answer_seconds: seconds(600)"],
  ],
  containers: [
    ["longer than 255 bytes", MESSAGES, "export const MAX_NAME_BYTES = 255;"],
    ["with at most 50 domains", "shared/responses/service_tools.ts", ".max(50) })"],
    ["10 MiB each, on public", MESSAGES, "export const MAX_FETCHED_BYTES = 10 * 1024 * 1024;"],
    ["60 s after the last command", "server/sandbox/virtual_sandbox.ts", "const WARM_MS = 60_000;"],
    ["30 s of the processor", CONTAINER_CALL, "export const DEFAULT_TIMEOUT_MS = 30_000;"],
    ["`timeout_ms` to 300 s", CONTAINER_CALL, "const MAX_TIMEOUT_MS = 300_000;"],
    ["and 300 ms of the", "server/sandbox/child/python/interrupts.ts", "const GRACE_MS = 300;"],
    [
      "by the clock four times as long",
      "server/sandbox/keeper/messages.ts",
      "export const CLOCK_FACTOR = 4;",
    ],
    ["512 MiB, `memory_mib` 128 to 4,096", SANDBOX, ".min(128).max(4_096).default(512)"],
    ["a command waits 30 s for one", "server/sandbox/virtual_sandbox.ts", "const WAIT_MS = 30_000;"],
    ["1 MiB each of stdout and stderr", MESSAGES, "export const MAX_OUTPUT_BYTES = 1024 * 1024;"],
    ["the model is shown 30,000 characters", CONTAINER_CALL, "DEFAULT_OUTPUT_LENGTH = 30_000;"],
    ["2,000 with folders and links", CONTAINER_FILES, "export const MAX_ENTRIES = 2_000;"],
    ["100 MiB in all", CONTAINER_FILES, "const MAX_CONTAINER_BYTES = 100 * MIB;"],
    ["25 MiB each", CONTAINER_FILES, "export const MAX_CONTAINER_FILE_BYTES = 25 * MIB;"],
    [
      "paths of 1,024 bytes",
      "server/sandbox/containers/container_ids.ts",
      "export const MAX_PATH_BYTES = 1_024;",
    ],
    ["and 32 levels", CONTAINER_FILES, "const MAX_LEVELS = 32;"],
    ["names of 255 bytes", MESSAGES, "export const MAX_NAME_BYTES = 255;"],
    [
      "containers of a workspace | 1,000",
      "server/sandbox/containers/container_store.ts",
      "export const MAX_CONTAINERS = 1_000;",
    ],
    ["30 days after its last use", SANDBOX, ".default(30)"],
    [
      "300 ms of the processor for its own end",
      "server/sandbox/child/python/interrupts.ts",
      "const GRACE_MS = 300;",
    ],
  ],
  "server-tools": [
    ["at most 10 MiB in 20 s", "server/web/fetch/guarded_fetch.ts", "MAX_BODY_BYTES = 10 * 1024 * 1024;"],
  ],
};

/** Numbers that no default or limit stands behind: examples, and words of other programs. */
const examples: Readonly<Record<string, readonly NotHeld[]>> = {
  "credits-and-budgets": [
    ["cost up to 0.008702 USD", EXAMPLE],
    ["a guardrail of 5 USD a day", EXAMPLE],
    ["spend 50 together", EXAMPLE],
    ["limit is 25 USD, of which 24.9981 USD are spent", EXAMPLE],
  ],
  "keys-and-workspaces": [["spend 25 USD a month", EXAMPLE]],
};

const ofLines = Object.entries(byLine).map(([page, rows]): [string, HeldPage] => [
  page,
  { rows, others: examples[page] ?? [] },
]);

export const heldPages: ReadonlyMap<string, HeldPage> = new Map([
  ...ofLines,
  ...Object.entries({
    "auto-routing": autoRouting,
    fusion,
    guardrails,
    migrating,
    plugins,
    providers,
    settings,
    troubleshooting,
  }),
]);
