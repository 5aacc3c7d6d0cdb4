/** Deno Deploy: its page of that name. */

import { limitsSchema, MOST_STORE_FILE_BYTES } from "../../../server/config/limits.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { HEAP_MIB, PLATFORM_BYTES } from "../../deno_deploy/platform_limits.ts";
import { gib, type HeldPage, mib, says, timeInWords } from "./held_page.ts";

const DEPLOYED = "tests/deno_deploy/deno_deploy_test.ts";
const PAGES = "server/web/reader/page/read_page.ts";
const TOKENS = "server/web/reader/page/page_tokens.ts";
const STREAMED = "server/web/reader/page/streamed_page.ts";
const STYLES = "server/web/reader/page/hiding_styles.ts";
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
    ["of 5 % or less", STYLES, "const LEAST_SHARE = 0.05;"],
    ["indents 999 px or more before the page", STYLES, "const FAR = 999;"],
    ["letters below 4 px", STYLES, "const LEAST_LETTERS = 4;"],
    ["a style beyond its first 16,384 characters", TOKENS, "const MOST_STYLE = 16_384;"],
    ["Elements deeper than 512", STREAMED, "const MAX_FORM_DEPTH = 512;"],
    ["more than 65,536 that are open at once", STREAMED, "const MAX_DEPTH = 65_536;"],
    ["is taken for windows-1252", PAGES, 'DEFAULT_CHARSET = "windows-1252"'],
    [
      "answers 503 within two seconds while the store hangs",
      "server/storage/stores/store_deadline.ts",
      "STORE_DEADLINE_MS = 2_000",
    ],
    ["no turn of its loop takes a second", "tests/deno_deploy/platform_limits.ts", "const TAKEN_MS = 1_000;"],
    says`below ${PLATFORM_BYTES / 1e6} MB, with at most ${HEAP_MIB} MiB for values of JavaScript`,
    ["Races of 150 requests", DEPLOYED, "requests: 150"],
    ["four bodies of 4 MB at once", DEPLOYED, "const PICTURE_BYTES = 3_000_000;"],
    ["and a page of 4 MiB leave", "tests/deno_deploy/pages_test.ts", "4 * 1024 ** 2 / piece.length"],
    ["and stops within five", DEPLOYED, "it ends within what the platform gives"],
  ],
  others: [["ends the process five seconds later", "Of the platform's documentation."]],
};
