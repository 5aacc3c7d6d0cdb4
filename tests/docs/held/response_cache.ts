/** docs/response-cache.md. */

import type { HeldPage } from "./held_page.ts";

const TEST = "tests/http/response_cache_test.ts";
const CACHE = "server/pipeline/response_cache/response_cache.ts";

export const responseCache: HeldPage = {
  rows: [
    [
      "It is off until a request, its preset or its key",
      "server/api/inference/cache_preference.ts",
      "preset.enabled ?? key.enabled;",
    ],
    ["the response is kept: 300", "server/api/inference/cache_preference.ts", "const USUAL_SECONDS = 300;"],
    [
      "at least 1, at most 86,400",
      "shared/fields/response_cache.ts",
      "export const MOST_CACHE_SECONDS = 86_400;",
    ],
    [
      "(1 to 86,400) in the body",
      "shared/fields/response_cache.ts",
      "z.int().min(1).max(MOST_CACHE_SECONDS)",
    ],
    ["a fraction is cut off: `1.5` is 1", "server/api/inference/cache_preference_test.ts", '["1.5", 1]'],
    ["at most 256 MiB of them", CACHE, "const MOST_BYTES = 256 * 1024 * 1024;"],
    ["none of more than 8 MiB", CACHE, "const MOST_OF_ONE = 8 * 1024 * 1024;"],
    [
      "the receipt has cost 0, no attempts",
      TEST,
      "a response is given again on every API, whole and streamed, for nothing",
    ],
  ],
};
