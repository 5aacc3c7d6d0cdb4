/** docs/files.md. */

import { limitsSchema, MOST_STORE_FILE_BYTES } from "../../../server/config/limits.ts";
import { MAX_FILES } from "../../../server/storage/files/file_limits.ts";
import { DEFAULT_FILE_PAGE_SIZE } from "../../../shared/management/files.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { gib, type HeldPage, mib, says } from "./held_page.ts";

const MULTIPART = "server/api/body/read_multipart.ts";
const FILE_TEXT = "server/management/files/file_text.ts";
const OPERATIONS = "tests/files/operations_test.ts";
const TEXTS = "tests/files/file_text_test.ts";
const PROVIDERS = "tests/files/provider_files_test.ts";
const RETENTION = "server/storage/files/file_retention_test.ts";

const limits = limitsSchema.parse({});

export const files: HeldPage = {
  rows: [
    ["`tg_file_` and 32 characters", "shared/files.ts", "/^tg_file_[\\da-f]{32}$/"],
    [
      "A request may have 20 MiB of such files",
      "server/pipeline/stages/input_files.ts",
      "const MAX_BYTES = 20 * 1024 * 1024;",
    ],
    ["anything else is 400", OPERATIONS, "what is no file, too large or of no allowed type is refused"],
    ["`limit` (1 to 1,000, default", "shared/management/files.ts", "z.int().min(1).max(1_000)"],
    says`default ${DEFAULT_FILE_PAGE_SIZE}), \`cursor\``,
    says`\`If-Match\` (${kinds.precondition_failed.status})`,
    ["A file that was uploaded is 400", OPERATIONS, "400 of an upload, in this order"],
    ["a PDF or text of up to 10 MiB", FILE_TEXT, "const MAX_BYTES = 10 * 1024 * 1024;"],
    ["`text` (100,000 characters,", FILE_TEXT, "const MAX_CHARACTERS = 100_000;"],
    ["or takes too long is 400", TEXTS, "a file that cannot be read as text is 400 and says why"],
    ["503 while too many are being read", TEXTS, "a PDF is 503 without a keeper"],
    ["A file of others is 404", OPERATIONS, "nobody another workspace's"],
    ["Without such a key it is 400", PROVIDERS, "400 says how to add one"],
    [
      "Content is passed on up to 512 MiB",
      "server/management/files/provider_files.ts",
      "const MAX_BYTES = 512 * 1024 * 1024;",
    ],
    [
      "become 400 (its 400, with its words; its 401 or 403), 404, 429 or 502",
      PROVIDERS,
      "its errors become those of the operation",
    ],
    says`| \`file_bytes\` | ${mib(limits.file_bytes)}, else ${kinds.too_large.status}`,
    says`in the store at most ${mib(MOST_STORE_FILE_BYTES)}`,
    says`| \`store_file_bytes\` | ${gib(limits.store_file_bytes)}, else ${kinds.too_large.status}`,
    ["in chunks of 60,000 bytes", "server/storage/blobs/chunk_rows.ts", "CHUNK_BYTES = 60_000"],
    says`| \`upload_seconds\` | ${limits.upload_seconds} s;`,
    ["no slower than 1 KiB/s over 10 s", MULTIPART, "const WINDOW_BYTES = 10 * 1024;"],
    ["1 KiB/s over 10 s, else 400", MULTIPART, "const WINDOW_MS = 10_000;"],
    says`| \`workspace_file_bytes\` | ${
      gib(limits.workspace_file_bytes)
    }, and ${MAX_FILES} files; beyond ${kinds.too_large.status}`,
    ["1 to 255 characters", "server/storage/files/file_name.ts", "const MAX_CHARACTERS = 255;"],
    ["| 20, with 64 KiB together", MULTIPART, "const MAX_TEXT_BYTES = 64 * 1024;"],
    [
      "unfinished ones after an hour",
      "server/storage/blobs/folder_blob_store.ts",
      "unfinishedMs = 3_600_000",
    ],
    ["in a bucket after a day", "server/storage/blobs/s3_blob_store.ts", "unfinishedMs = 24 * 3_600_000"],
    ["bytes without a record after a day", RETENTION, "removes blobs without a record after a day"],
  ],
};
