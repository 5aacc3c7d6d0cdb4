/** Deno Deploy: its page of that name. */

import { limitsSchema, MOST_STORE_FILE_BYTES } from "../../../server/config/limits.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { gib, type HeldPage, mib, says, timeInWords } from "./held_page.ts";

const DEPLOYED = "tests/deno_deploy/deno_deploy_test.ts";
const PAGES = "server/web/reader/page/read_page.ts";
const LIMITS = "server/config/limits.ts";

export const denoDeploy: HeldPage = {
  rows: [
    says`reaches the others within ${timeInWords(UNSEEN_MS)}`,
    ["Responses have four seconds to end", LIMITS, "const DEPLOY_DRAIN_SECONDS = 4;"],
    [
      "recovered by the next one after 60 s",
      "server/billing/ledger/quota/dead_instance_recovery.ts",
      "const INSTANCE_DEAD_MS = 60_000;",
    ],
    says`forces one is ${kinds.invalid_request.status}`,
    ["in chunks of 60,000 bytes", "server/storage/blobs/chunk_rows.ts", "CHUNK_BYTES = 60_000"],
    says`a file of up to ${mib(MOST_STORE_FILE_BYTES)}`,
    says`${gib(limitsSchema.parse({}).store_file_bytes)} in all workspaces together`,
    ["in turns of 5 ms", "shared/util/run_work.ts", "const MS_AT_ONCE = 5;"],
    ["more than 10 s of the processor", PAGES, "const MOST_MS = 10_000;"],
    ["and up to 4 MiB", PAGES, "const MOST_PAGE_BYTES = 4 * 1024 * 1024;"],
    ["The first 4 MiB are read", PAGES, "const MOST_PAGE_BYTES = 4 * 1024 * 1024;"],
    ["is taken for windows-1252", PAGES, 'DEFAULT_CHARSET = "windows-1252"'],
    [
      "answers 503 within two seconds while the store hangs",
      "server/storage/stores/store_deadline.ts",
      "STORE_DEADLINE_MS = 2_000",
    ],
    ["and stops within five", DEPLOYED, "it ends within what the platform gives"],
  ],
  others: [["ends the process five seconds later", "Of the platform's documentation."]],
};
