/** docs/server-tools.md. */

import { limitsSchema } from "../../../server/config/limits.ts";
import { MORE_MS } from "../../../server/pipeline/tools/containers/container_call.ts";
import { MAKING_MS } from "../../../server/pipeline/tools/file_search/file_searcher.ts";
import { MAX_SEARCH_BYTES } from "../../../server/pipeline/tools/file_search/index_maker.ts";
import { DEFAULT_TOKENS } from "../../../server/pipeline/tools/web/load_page.ts";
import { DEFAULT_RESULTS } from "../../../server/pipeline/tools/result_limit.ts";
import { CLOCK_FACTOR } from "../../../server/sandbox/keeper/messages.ts";
import { MAX_CHARACTERS } from "../../../server/web/reader/reader.ts";
import { MAX_BODY_BYTES } from "../../../server/web/fetch/guarded_fetch.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { type HeldPage, inWords, mib, says, seconds, timeInWords } from "./held_page.ts";

const TOOLS = "server/pipeline/tools";
const FIELDS = "shared/responses";
const SEARCHED = `${TOOLS}/file_search/file_search_settings.ts`;
const FOUND = "tests/server_tools/file_search_test.ts";
const HIDDEN = "server/web/reader/child/hidden";
const HTML = "server/web/reader/child/read_html.ts";
const LIMITS = "tests/server_tools/limits_test.ts";
const TRIED = "tests/server_tools/tools_test.ts";
const SEARCH = "tests/server_tools/web_search_test.ts";
const LEFT_OUT = "tests/server_tools/left_out_test.ts";
const RULES = "tests/server_tools/nested_rules_test.ts";
const ADVISOR = "tests/server_tools/advisor_test.ts";
const FAILED = "tests/server_tools/failed_turns_test.ts";

const limits = limitsSchema.parse({});

export const serverTools: HeldPage = {
  rows: [
    [
      "`tool_search_tool_regex`, `tool_search_tool_bm25`",
      `${TOOLS}/mod.ts`,
      "^tool_search_tool_(?:regex|bm25)",
    ],
    [
      "the number of the passage, from 0",
      "server/protocols/canonical/event.ts",
      "Number, from 0, of the cited passage among those that the model was given.",
    ],
    [
      "that forces one of them earlier is 400",
      "tests/mcp/rules_test.ts",
      "a choice that forces a deferred tool is 400 until a search has found it",
    ],
    [
      "Not on Chat Completions, where it is 400",
      "tests/server_tools/native_tool_search_test.ts",
      "a search of tools is 400 on Chat Completions",
    ],
    ["`max_num_results`, 1 to 50 (10)", SEARCHED, "const DEFAULT_RESULTS = 10;\nconst MOST_RESULTS = 50;"],
    ["| `max_num_results` | 1 to 50 (10)", SEARCHED, "const DEFAULT_RESULTS = 10;\nconst MOST_RESULTS = 50;"],
    ["up to 100 ids of files", SEARCHED, "const MOST_IDS = 100;"],
    [
      "no file of the workspace is 404 with its path",
      FOUND,
      "refuses ids that name no file of the workspace, by their path",
    ],
    [
      "A passage has at most 800 tokens",
      "server/web/reader/child/index/cut_pieces.ts",
      "const MAX_TOKENS = 800;",
    ],
    [
      "shares about 100 with the one before",
      "server/web/reader/child/index/cut_pieces.ts",
      "const SHARED_TOKENS = 100;",
    ],
    [
      "of 30 German questions",
      "tests/server_tools/file_search_recall_test.ts",
      '{ name: "compounds", questions: 30, least: 27 }',
    ],
    [
      "27 find their passage among the first five",
      "tests/server_tools/file_search_recall_test.ts",
      "const MOST = 5;",
    ],
    ["sends one to five queries", `${TOOLS}/file_search/file_search.ts`, "const MOST_QUERIES = 5;"],
    ["how rare they are, from 0 to 1", SEARCHED, "/** From 0 to 1. */"],
    [
      "room in the 56 KiB of passages",
      `${TOOLS}/file_search/describe_passages.ts`,
      "const MOST_BYTES = 56 * 1024;",
    ],
    ["`score_threshold`, 0 to 1", SEARCHED, "has to be a number from 0 to 1"],
    ["0 to 1 (0). `ranker`", SEARCHED, '=== "number" ? options.score_threshold : 0'],
    ["`hybrid_search` have no effect", SEARCHED, "isRecord(options.hybrid_search)"],
    says`A search waits ${seconds(MAKING_MS)} s for indexes`,
    says`It reads ${MAX_SEARCH_BYTES / 1_000_000} MB of text at most`,
    says`(${MAX_SEARCH_BYTES / 1_000_000} MB of a text, ${MAX_CHARACTERS} characters of a document)`,
    [
      "(`nav`, `footer`, `role=",
      "server/web/reader/child/main_part.ts",
      'const NAVIGATION = "nav, footer, [role=navigation]',
    ],
    [
      '"service:web_search is left out: this gateway has no engine for it. Set SEARXNG_URL or',
      LEFT_OUT,
      "this gateway has no engine",
    ],
    [
      "sees the server tool as `service_datetime`",
      "tests/server_tools/loop_test.ts",
      "a name that the client's function has is the client's",
    ],
    [
      "`web_fetch_20250910` on the Messages API are run",
      "tests/server_tools/web_native_test.ts",
      "Anthropic's search and fetch are run for other providers",
    ],
    [
      "`max_results`, 1 to 20",
      `${FIELDS}/service_tools.ts`,
      'serviceTool("search_models", { max_results: z.int().min(1).max(20)',
    ],
    says`1 to 20 (${DEFAULT_RESULTS}) |`,
    [
      "`max_results`, 1 to 50",
      `${FIELDS}/service_tools.ts`,
      'serviceTool("tool_search", { max_results: z.int().min(1).max(50)',
    ],
    says`1 to 50 (${DEFAULT_RESULTS});`,
    ["`max_results`, 1 to 25 (5)", `${FIELDS}/web_search.ts`, "max_results: z.int().min(1).max(25)"],
    [
      "(5), `max_total_results` (50)",
      `${TOOLS}/web/web_search_settings.ts`,
      "const DEFAULT_RESULTS = 5;\nconst DEFAULT_TOTAL = 50;",
    ],
    says`\`max_content_tokens\` (${DEFAULT_TOKENS})`,
    [
      "A `tool_choice` that forces one is 400",
      TRIED,
      "a tool without an engine is not offered, and 400 where it is forced",
    ],
    [
      "and a `tool_choice` that forces it is 400",
      TRIED,
      "a tool without an engine is not offered, and 400 where it is forced",
    ],
    [
      "`pattern`, at most 200 characters",
      "server/pipeline/guardrails/patterns/search_pattern.ts",
      "MOST_PATTERN = 200;",
    ],
    ["the newest 100 of", `${TOOLS}/files/files.ts`, "const MOST_LISTED = 100;"],
    ["of the newest 1,000 files", `${TOOLS}/files/files.ts`, "const MOST_SEARCHED = 1_000;"],
    ["UTF-8 of at most 1 MiB", `${TOOLS}/files/files.ts`, "const MOST_BYTES = 1024 * 1024;"],
    ["of one call is cut at 64 KiB", `${TOOLS}/run_tool.ts`, "const MOST = 64 * 1024;"],
    ["A response has 50 operations", `${TOOLS}/files/files.ts`, "const MOST_OPERATIONS = 50;"],
    ["have more than 1 MiB or are nested", `${TOOLS}/run_tool.ts`, "const MOST_ARGUMENTS = 1024 * 1024;"],
    ["nested more than 64 levels deep", "server/api/body/json_limits.ts", "maxDepth: 64"],
    [
      'With `"engine": "auto"`, the default',
      SEARCH,
      "the engine is the one that is named, else the first that is switched on",
    ],
    [
      "any other word is 400",
      SEARCH,
      "unknown values and wrong types of its options are 400 with their path",
    ],
    [
      "one whose answer (200) broke off",
      "tests/search/broken_answers_test.ts",
      "whose answer (200) breaks on its way is charged",
    ],
    ["an entry that is no domain is 400", SEARCH, "lists of domains are checked on every API"],
    says`at most ${mib(MAX_BODY_BYTES)} in 20 s`,
    ["below 500 characters", "server/web/reader/child/main_part.ts", "const LEAST_OUTSIDE_SIZE = 500;"],
    ["has at least 90 % of the rest", "server/web/reader/child/main_part.ts", "const MAIN_SHARE = 0.9;"],
    ["more than 50,000 elements", HTML, "const MAX_ELEMENTS = 50_000;"],
    ["nested more than 256 deep", HTML, "const MAX_DEPTH = 256;"],
    ["opacity of 5 % or less", `${HIDDEN}/element_style.ts`, "const LEAST_OPACITY = 0.05;"],
    ["fonts below 4 px", `${HIDDEN}/element_style.ts`, "const LEAST_FONT_PX = 4;"],
    ["a window of 1,280 by 800 px", `${HIDDEN}/css/css_length.ts`, "WINDOW = { width: 1_280, height: 800 }"],
    ["An animation that ends within a minute", `${HIDDEN}/animation.ts`, "const MOST_SECONDS = 60;"],
    ["below 2 points", "server/web/reader/child/pdf/painted_text.ts", "const LEAST_POINTS = 2;"],
    [
      "(1 to 64 letters, digits, spaces",
      `${FIELDS}/service_tools.ts`,
      "instanceName = z.string().min(1).max(64)",
    ],
    ["`max_tool_calls`, 1 to 25", `${FIELDS}/service_tools.ts`, "max_tool_calls: z.int().min(1).max(25)"],
    ["1 to 25 (10), `max_completion_tokens`", `${TOOLS}/nested/subagent.ts`, "const TOOL_CALLS = 10;"],
    ["which OpenRouter has as an experiment, are 400", RULES, "inherit_functions is not supported"],
    ["`subagent_id` and `subagent_items` of a `function_call`", RULES, "subagent_items"],
    [
      "Anthropic's own `advisor_20260301`",
      "tests/server_tools/anthropic_advisor_test.ts",
      "advisor_20260301",
    ],
    ["Two of one name are 400", RULES, "is a second advisor without a name"],
    ["| seconds of a run | 120 |", `${TOOLS}/nested/advisor.ts`, "const RUN_MS = 120_000;"],
    ["| 120 | 600 |", `${TOOLS}/nested/subagent.ts`, "const RUN_MS = 600_000;"],
    [
      "| runs at the same time, of both together | 8 | 8 |",
      "server/pipeline/stages/tool_loop/call_starts.ts",
      "const MOST_RUNS_AT_ONCE = 8;",
    ],
    ["| runs of a request | 16 | 16 |", `${TOOLS}/nested/run_limits.ts`, "const MOST_RUNS = 16;"],
    ["| model calls of a run | 1 |", ADVISOR, "an advisor is asked once, without tools"],
    ["| 30, which is the most", "server/pipeline/stages/tool_loop/loop_limits.ts", "const MOST_CALLS = 30;"],
    says`| ${limits.loop_turns} turns that call tools`,
    ["| 1,800 streamed", "server/config/limits.ts", "streamedLoopMs: (file.loop_seconds ?? 1_800) * 1_000"],
    [
      "1,800 streamed, 600 whole",
      "server/config/limits.ts",
      "wholeLoopMs: (file.loop_seconds ?? 600) * 1_000",
    ],
    [
      "calls of tools end two minutes before, or a fifth",
      "server/pipeline/stages/tool_loop/loop_time.ts",
      "const ANSWER_MS = 120_000;",
    ],
    says`${kinds.timeout.status} where its first turn has not ended`,
    says`| ${limits.tool_seconds} a call; of commands`,
    says`of commands ${inWords(CLOCK_FACTOR)} times their \`timeout_ms\` and ${timeInWords(MORE_MS)}`,
    ["| a result | 64 KiB of text", `${TOOLS}/run_tool.ts`, "const MOST = 64 * 1024;"],
    says`know of a change within ${timeInWords(UNSEEN_MS)}`,
    says`tools that its keys may not use: ${kinds.forbidden.status}`,
    ["the response is 200, streamed and whole", FAILED, "after a paid turn leaves what was made"],
    [
      "the status of its error (402, 403, 404, 408, 502, 503 …)",
      LIMITS,
      "money that is not there before the first step is 402",
    ],
  ],
};
