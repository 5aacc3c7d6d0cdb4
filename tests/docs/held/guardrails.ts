/** docs/guardrails.md. */

import { MOST_BYTES } from "../../../server/app/compose/external.ts";
import { MOST_EXCEPTION_CHARS } from "../../../server/management/guardrails/content_filters.ts";
import { MAX_DIGITS, MIN_DIGITS } from "../../../server/pipeline/guardrails/builtins/credit_card.ts";
import { WORD_REACH } from "../../../server/pipeline/guardrails/builtins/ids/national_id.ts";
import { secretForms } from "../../../server/pipeline/guardrails/builtins/secret_forms.ts";
import { LABEL_CHARS } from "../../../server/pipeline/guardrails/content_filters.ts";
import { MAX_STATES } from "../../../server/pipeline/guardrails/patterns/pattern_rules.ts";
import { MOST_UNSEEN } from "../../../server/pipeline/guardrails/plain_characters.ts";
import { MAX_WRITTEN } from "../../../server/pipeline/guardrails/read_spellings.ts";
import { REACH } from "../../../server/pipeline/guardrails/scanners/joined_texts.ts";
import { OUTPUT_WINDOW } from "../../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { MOST_READINGS } from "../../../server/pipeline/guardrails/speller.ts";
import { MAX_NESTED } from "../../../server/pipeline/guardrails/spellings.ts";
import { MAX_JSON_DEPTH } from "../../../server/pipeline/guardrails/text_slots/read_slots.ts";
import { CHARS_AT_ONCE, TEXTS_AT_ONCE } from "../../../server/pipeline/stages/guardrails/external_judge.ts";
import { externalGuardrailSchema } from "../../../shared/external_guardrail.ts";
import { isExperimental, MAX_PATTERN_CHARS, MAX_WORDS } from "../../../shared/guardrails.ts";
import { MAX_TEST_CHARS } from "../../../shared/management/guardrails.ts";
import { MOST_MS } from "../../../shared/util/run_work.ts";
import { type HeldPage, inWords, mib, says, seconds } from "./held_page.ts";

const EXTERNAL = "tests/guardrails/external_test.ts";
const EXTERNAL_SAVED = "server/management/guardrails/external_service_test.ts";
const SHARED = "shared/guardrails.ts";
const CARD = "server/pipeline/guardrails/builtins/credit_card.ts";
const IDS = "server/pipeline/guardrails/builtins/ids";
const STATUSES = "tests/guardrails/clients_test.ts";
const REFUSED = "patterns that cannot run are refused where they stand";
const OPERATIONS = "server/management/guardrails/guardrail_operations_test.ts";

const service = externalGuardrailSchema.parse({ type: "http", url: "https://service.example/" });
const { timeout_ms: timeout } = externalGuardrailSchema.shape;
const issuers = new Set(secretForms.map(({ issuer }) => issuer));
const experimental = (["person-name", "address"] as const).filter(isExperimental);

export const guardrails: HeldPage = {
  rows: [
    ["behind the word `card` of any issuer", CARD, "[ _-]?card|"],
    ["a request is 403 and nobody is called", STATUSES, "a blocked request is each client's error for 403"],
    ["a response is 403, or ends in an error", EXTERNAL, "assert.equal(late.status, stream ? 200 : 403"],
    ["13 to 19 digits with a right", CARD, "lengths: [13, 16, 19] }"],
    says`of any issuer, from ${MIN_DIGITS} digits`,
    says`to ${MAX_DIGITS} digits with a right check digit`,
    says`keys and tokens of ${issuers.size} issuers`,
    [
      "Eight to fifteen bare digits",
      `${IDS}/ids_test.ts`,
      "each filter finds its numbers, and none with another check digit",
    ],
    says`need their name before them, within ${WORD_REACH} characters`,
    ["the rest by 97 |", `${IDS}/iban.ts`, "97) === 1"],
    says`up to ${inWords(MOST_UNSEEN)} characters without a width in a row`,
    says`up to ${inWords(MOST_READINGS)} in one another and ${MAX_NESTED} characters for one`,
    [
      "count from three in a row",
      "tests/guardrails/characters_test.ts",
      "where it stands three times in a row",
    ],
    says`what was written, of up to ${MAX_WRITTEN} characters`,
    [
      "finds less than 0.7 of what it looks for",
      SHARED,
      "Filters that find less than 0.7 of what they look for",
    ],
    says`in texts from outside: ${experimental.map((slug) => `\`${slug}\``).join(" and ")}`,
    [
      "`all_messages`, the default, reads everything",
      "tests/guardrails/input_test.ts",
      "user_only reads messages of users",
    ],
    says`of up to ${MAX_PATTERN_CHARS} characters, as in JavaScript`,
    says`more than ${seconds(MOST_MS)} seconds of work in all blocks`,
    ["A pattern is refused (400)", OPERATIONS, REFUSED],
    says`multiply out to more than ${MAX_STATES} states`,
    says`a list of up to ${MAX_WORDS} words and texts`,
    ["texts of at most 100 characters", SHARED, "const wordSchema = z.string().min(1).max(100)"],
    [
      "nothing is left but white space is refused (400)",
      "tests/guardrails/written_words_test.ts",
      "a word of which nothing is left is none",
    ],
    [
      "`block` by default; metadata",
      "server/pipeline/guardrails/word_filter_test.ts",
      "words block unless another action is said",
    ],
    [
      "A thousand words cost as much as one",
      "server/pipeline/guardrails/word_filter_test.ts",
      "a thousand words cost no more steps than one",
    ],
    says`a list of up to ${MAX_WORDS} exceptions`,
    says`with matches of at most ${MOST_EXCEPTION_CHARS} characters`,
    [
      "any other is refused (400) when it is saved. Redirects",
      EXTERNAL_SAVED,
      "an address that the settings do not allow is refused at save",
    ],
    [
      "any other is refused (400) when it is saved. A variable",
      EXTERNAL_SAVED,
      "a variable that the settings do not name is refused",
    ],
    says`for each call, ${service.timeout_ms} by default, at most ${timeout.unwrap().maxValue ?? 0}`,
    ["another status than 200", EXTERNAL, '"a status": () => new Response("no", { status: 500 })'],
    says`with more than ${mib(MOST_BYTES)}, or in another form: \`${service.fail}\` (default)`,
    ["blocks with 403 and no patterns", EXTERNAL, 'assert.equal(status, fail === "open" ? 200 : 403'],
    says`\`${JSON.stringify(service.on).replace(",", ", ")}\` by default`,
    says`At most ${TEXTS_AT_ONCE} texts and ${CHARS_AT_ONCE / 1024} Ki characters are in one call`,
    [
      "up to 50 names of 100 characters",
      "shared/external_guardrail.ts",
      "z.array(z.string().min(1).max(100)).max(50)",
    ],
    [
      "in windows of about 1,000 characters",
      "server/pipeline/stages/guardrails/response/output_windows.ts",
      "const WINDOW = 1_000;",
    ],
    says`${inWords(MAX_JSON_DEPTH)} levels together`,
    says`Of a value of more than ${OUTPUT_WINDOW} characters`,
    says`a match may reach ${REACH} characters into each`,
    says`never more than ${OUTPUT_WINDOW}, and only`,
    says`of more than ${OUTPUT_WINDOW} characters, is looked for within ${OUTPUT_WINDOW} characters`,
    says`one of more than ${OUTPUT_WINDOW} characters goes on`,
    ["A blocked request or response is 403", STATUSES, "a blocked request is each client's error for 403"],
    says`patterns (up to ${LABEL_CHARS} characters)`,
    says`more than ${seconds(MOST_MS)} seconds of work in all (`,
    [
      "says 422 then",
      "tests/guardrails/left_test.ts",
      "a guardrail's test that takes more than 30 seconds says so",
    ],
    says`(else null). Up to ${mib(MAX_TEST_CHARS)}.`,
  ],
  others: [
    ["### How much they find", "Measured by hand: tests/guardrails/outside says how."],
  ],
};
