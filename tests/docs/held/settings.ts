/** docs/settings.md; its tables are generated from the settings themselves. */

import type { HeldPage } from "./held_page.ts";

export const settings: HeldPage = {
  rows: [[
    "and exit code 2",
    "tests/start_test.ts",
    "main ends with one sentence and status 2 on a broken setting",
  ], [
    "larger than 64 KiB",
    "server/config/process/read_settled_test.ts",
    "readVariable says why a file has no secret, and never what it has",
  ]],
};
