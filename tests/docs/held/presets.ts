/** docs/presets.md. */

import type { HeldPage } from "./held_page.ts";

const TEST = "tests/http/presets_test.ts";

export const presets: HeldPage = {
  rows: [
    ["up to 64 lower-case letters", "shared/presets/records.ts", "z.string().min(1).max(64)"],
    ["is 400 where it has nothing to keep", TEST, "what makes no preset is refused and changes nothing"],
    [
      "a preset of more than 50,000 bytes",
      "server/management/presets/save_preset.ts",
      "const MAX_BYTES = 50_000;",
    ],
    ["of more than 1,000 bytes", "server/management/presets/audited_preset.ts", "const MOST_BYTES = 1_000;"],
    ["An unknown preset is 404", TEST, "presets that cannot be used are refused in every API and named"],
    [
      "The newest 500 versions",
      "server/management/presets/preset_rows.ts",
      "export const MOST_VERSIONS = 500;",
    ],
    [
      "a request that names two, and one in `models`, are 400",
      TEST,
      "presets that cannot be used are refused in every API and named",
    ],
    [
      "a request that names one is 400",
      TEST,
      "APIs that take no presets refuse each naming of one, and say so",
    ],
    ["in any of these forms", TEST, "requests of every API name a preset in every form"],
  ],
};
