/** docs/tags.md. */

import { MOST_RULES, MOST_TAGS } from "../../../shared/observability/tag_rules.ts";
import { RULES_MS } from "../../../server/management/classifiers/tag_rules.ts";
import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { type HeldPage, says, timeInWords } from "./held_page.ts";

const SCHEMA = "shared/observability/tag_rules.ts";

export const tags: HeldPage = {
  rows: [
    says`A workspace has up to ${MOST_RULES}`,
    ["another one is 409", "shared/errors.ts", "classifiers: [400, 401, 403, 404, 409,"],
    ["up to 200 characters", SCHEMA, "name: z.string().min(1).max(200),"],
    ["up to 50 of `a-z`", SCHEMA, "z.string().min(1).max(50)"],
    ["true by default", "shared/management/gateway/classifiers.ts", "enabled.default(true)"],
    ["1 to 10, all of which", SCHEMA, "const MOST_CONDITIONS = 10;"],
    ["a list of up to 100", SCHEMA, "const MOST_VALUES = 100;"],
    ["to 256 characters", "server/pipeline/stages/receipt/build_receipt.ts", "const LONGEST = 256;"],
    says`A receipt has up to ${MOST_TAGS} tags`,
    says`on the same store within about ${timeInWords(UNSEEN_MS)}`,
    says`within ${RULES_MS} ms`,
  ],
};
