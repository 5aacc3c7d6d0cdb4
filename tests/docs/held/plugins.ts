/** docs/plugins.md. */

import { ANTHROPIC_MESSAGES, USUAL_ANSWER } from "../../../server/pipeline/compression/context_limits.ts";
import { SMALL_CONTEXT } from "../../../server/pipeline/compression/compression_mode.ts";
import { MAX_IMAGES } from "../../../server/pipeline/plugins/file_parser/document_parser.ts";
import { MAX_DOCUMENTS } from "../../../server/pipeline/plugins/file_parser/file_parser.ts";
import { MAX_PAGES, SCAN_CHARACTERS } from "../../../server/pipeline/plugins/file_parser/read_locally.ts";
import { MOST_NODES, MOST_PATTERNS } from "../../../server/pipeline/plugins/healing/schema_copy.ts";
import { SHOWN_CHARACTERS, TIME_MS } from "../../../server/pipeline/plugins/moderation/moderation.ts";
import { openai } from "../../../server/pipeline/plugins/moderation/wires/openai.ts";
import { LONGEST_EXCERPT, LONGEST_RESULTS } from "../../../server/pipeline/plugins/web/results_message.ts";
import { MOST_PAGES, USUAL_PAGES } from "../../../server/pipeline/plugins/web_fetch/web_fetch.ts";
import { DEFAULT_TOKENS } from "../../../server/pipeline/tools/web/load_page.ts";
import { ocrPrices } from "../../../server/web/documents/ocr_prices.ts";
import { MAX_BODY_BYTES } from "../../../server/web/fetch/guarded_fetch.ts";
import { READ_MS } from "../../../server/web/reader/read_deadlines.ts";
import { MAX_CHARACTERS } from "../../../server/web/reader/reader.ts";
import { searchPrompt } from "../../../shared/responses/web_search.ts";
import { type HeldPage, mib, says, seconds } from "./held_page.ts";

const PLUGINS = "server/pipeline/plugins";
const HEARTBEAT = "server/config/limits.ts";
const FIELDS = "tests/plugins/fields_test.ts";
const MODERATION = "tests/plugins/moderation_test.ts";
const MODERATION_FAULTS = "tests/plugins/moderation_faults_test.ts";
const PARSER = "tests/plugins/file_parser_test.ts";
const OCR = "tests/plugins/file_parser_ocr_test.ts";
const WEB = "tests/plugins/web_test.ts";
const COMPRESSION = "tests/plugins/compression_test.ts";
const LOCKED = "tests/plugins/locked_fields_test.ts";

const ocr = ocrPrices["mistral-ocr-latest"];

export const plugins: HeldPage = {
  rows: [
    ["is 400 with the path of the fault", FIELDS, "a plugin with a wrong field is 400 with its path"],
    ["as after ten seconds of waiting", HEARTBEAT, "heartbeat_seconds: seconds(10)"],
    [
      "the answer is 400 `context_length_exceeded` with the counts",
      COMPRESSION,
      "is 400 with the counts at last",
    ],
    [
      "replaces the default of its `id` whole",
      `${PLUGINS}/effective_plugins_test.ts`,
      "replace the default of its id whole",
    ],
    [
      "is held to the default, and named there too",
      LOCKED,
      "a tool that searches gets the engine and the domains of a locked web",
    ],
    ["A request that is flagged is 403", MODERATION, "a flagged request is 403 on every API"],
    says`\`flagged_input\` (at most ${SHOWN_CHARACTERS} characters`,
    ["`planted-violence` (score 0.9)", "server/local_provider/moderator.ts", "const SCORE = 0.9;"],
    ["the score from 0 to 1 from which", "server/config/moderation_settings.ts", "z.number().min(0).max(1)"],
    [
      "`closed` (the default) refuses the request with 503",
      MODERATION_FAULTS,
      "that gives no verdict fails ${fail}",
    ],
    says`The service has ${seconds(TIME_MS)} seconds for a request`,
    [
      "Texts of more than 8,000 characters are judged in parts",
      `${PLUGINS}/moderation/moderation_inputs.ts`,
      "const PART = 8_000;",
    ],
    ["at most 64,000 characters", `${PLUGINS}/moderation/judge_inputs.ts`, "const CHARS_AT_ONCE = 64_000;"],
    says`${openai.textsAtOnce} texts (one for`,
    ["Another status than 200", MODERATION_FAULTS, "that gives no verdict fails ${fail}"],
    ["an answer of more than 1 MiB", "server/app/compose/moderation.ts", "const MOST_BYTES = 1024 * 1024;"],
    [
      "is 400; a default of the workspace is a note, and 503 where it is locked",
      MODERATION,
      "400 where it names the plugin, a note for a default, 503 where locked",
    ],
    says`with fewer than ${SCAN_CHARACTERS} characters a page is a scan`,
    [
      "where there is a key of Mistral, else it is 400",
      OCR,
      "a scanned PDF is read by OCR where there is a key",
    ],
    ["400 without a key", PARSER, "mistral-ocr by its name without a key is 400"],
    says`At most ${MAX_PAGES} pages (slides, sheets) or ${MAX_CHARACTERS} characters`,
    says`at most ${MAX_DOCUMENTS} documents of a request`,
    [
      "is read within 10 s of the processor",
      "server/web/reader/reader.ts",
      "could not be read within 10 s of the processor",
    ],
    says`has ${seconds(READ_MS)} s by the clock for both`,
    [
      "and is 503 behind them",
      "server/pipeline/plugins/file_parser/read_locally.ts",
      'if (read.isPassing) throw new ApiError("not_ready"',
    ],
    ["at most 20, not both", "shared/responses/web_search.ts", "const handles = z.array(z.string()).max(20)"],
    ["A document that cannot be read is 400", PARSER, "a document without a text is 400 and says why"],
    [
      "503 while the reader is busy or away",
      OCR,
      "a gateway without a keeper says that documents cannot be read",
    ],
    says`at most ${mib(MAX_BODY_BYTES)} each, where the model's provider`,
    says`OCR costs ${ocr.page} USD a page (${ocr.source}, ${ocr.date})`,
    says`Up to ${MAX_IMAGES} pictures of pages`,
    [
      "kept for 24 hours in the place of the files",
      "server/storage/blobs/kept_values.ts",
      "const DAY_MS = 24 * 3_600_000;",
    ],
    ["cut at 400 characters", `${PLUGINS}/web/search_query.ts`, "const LONGEST = 400;"],
    says`at most ${LONGEST_EXCERPT} characters in one line, ${LONGEST_RESULTS} in all`,
    ["It may take 20 seconds", "server/web/search/search_client.ts", "const TIMEOUT_MS = 20_000;"],
    [
      "| `max_results` | 5;",
      "server/pipeline/tools/web/web_search_settings.ts",
      "const DEFAULT_RESULTS = 5;",
    ],
    says`at most ${searchPrompt.unwrap().unwrap().maxLength ?? 0} characters |`,
    [
      "An engine that is not switched on is 400",
      WEB,
      "an engine that is not switched on is 400 with its path",
    ],
    [
      "any `web` of a request where nobody can search, is 400 as well",
      WEB,
      "without any engine a named plugin is 400",
    ],
    says`the first so many addresses: ${USUAL_PAGES}, at most ${MOST_PAGES}`,
    says`the first page first: ${DEFAULT_TOKENS};`,
    ["a page has at most 40 KiB", "server/pipeline/tools/web/load_page.ts", "const MOST_BYTES = 40 * 1024;"],
    says`more than ${MOST_PATTERNS} different ones, or more than ${MOST_NODES} places`,
    ["That is on by default for endpoints", COMPRESSION, "small contexts are compressed for by default"],
    says`with a context of ${SMALL_CONTEXT} tokens or less`,
    [
      "`middle-out`, which is the default",
      "server/pipeline/compression/compression_mode_test.ts",
      '"the plugin is named": [plugin(), "middle-out"',
    ],
    says`Claude takes ${ANTHROPIC_MESSAGES} messages`,
    says`without it ${USUAL_ANSWER} tokens, or a quarter`,
    [
      "the answer is 400 `context_length_exceeded`, with `context_length`",
      COMPRESSION,
      "is 400 with the counts at last",
    ],
  ],
  others: [
    ["that other services take by default", "A statement about others."],
    ["of the formats of Office 97 to 2003", "The name of a format."],
  ],
};
