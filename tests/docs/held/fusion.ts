/** docs/fusion.md. */

import { TOOL_CALLS } from "../../../server/pipeline/tools/fusion/fusion_settings.ts";
import { PANEL_MS, RUN_MS } from "../../../server/pipeline/tools/fusion/fusion.ts";
import { type HeldPage, says, seconds } from "./held_page.ts";

const SETTINGS = "server/pipeline/tools/fusion/fusion_settings.ts";
const LOOP_TIME = "server/pipeline/stages/tool_loop/loop_time.ts";
const SLUGS = "tests/fusion/slugs_test.ts";

export const fusion: HeldPage = {
  rows: [
    ["the panel, 1 to 8 models", SETTINGS, "analysis_models: z.array(z.string()).min(1).max(8)"],
    says`1 to 16, ${TOOL_CALLS}: calls of tools`,
    ["1 to 16, 4", SETTINGS, "max_tool_calls: z.int().min(1).max(16)"],
    ["at most 8; `web_search` and `web_fetch`", SETTINGS, "tools: z.array(innerToolSchema).max(8)"],
    ["16,000 for each member and for the analyst", SETTINGS, "const MAX_TOKENS = 16_000;"],
    ["the analyst runs at 0", "server/pipeline/tools/fusion/fusion_requests.ts", "temperature: 0"],
    ["the request is 404", SLUGS, "assert.equal(none.status, 404, none.text);"],
    [
      "the workspace has disabled is 403 where it is named",
      SLUGS,
      "assert.equal(sent.status, 403, sent.text);",
    ],
    ["answers of 16,000 tokens", SETTINGS, "const MAX_TOKENS = 16_000;"],
    ["with the status 524", "tests/fusion/time_test.ts", "status_code: 524"],
    ["600 seconds for one that is not streamed", "server/config/limits.ts", "file.loop_seconds ?? 600"],
    ["the run ends before: two minutes, or a fifth", LOOP_TIME, "const ANSWER_MS = 120_000;"],
    ["all of it but two minutes", "server/pipeline/tools/fusion/fusion.ts", "const ANALYSIS_MS = 120_000;"],
    says`The panel has ${seconds(PANEL_MS)} seconds, the whole run ${seconds(RUN_MS)}`,
    [
      "comes with it (1 or more) is not offered the tool",
      SLUGS,
      "a request of a run of another gateway's is not offered the tool",
    ],
  ],
  others: [
    ["about four to five answers", "A sum of the sentence."],
  ],
};
