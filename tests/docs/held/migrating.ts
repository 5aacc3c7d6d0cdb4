/** docs/migrating.md; tests/docs/migrating_test.ts tries its rows on a gateway. */

import { limitsSchema } from "../../../server/config/limits.ts";
import { type HeldPage, inWords, says } from "./held_page.ts";

const TRIED = "tests/docs/migrating_test.ts";

export const migrating: HeldPage = {
  rows: [
    ["one that is not there is 404", TRIED, "one that is not there is 404"],
    ["`POST /completions` | 404", TRIED, "`POST /completions` | 404"],
    ["400: texts alone can be embedded", TRIED, "400: texts alone can be embedded"],
    ["Routes without `/v1` are 404", TRIED, "Routes without `/v1` are 404"],
    ["Both have at least 32 characters", "server/config/env_settings.ts", "(at least 32 characters)"],
    says`up to ${inWords(limitsSchema.parse({}).attempts)} endpoints are tried`,
    ["`/batches` and `/rerank` are 404", TRIED, '"batches", "rerank"'],
  ],
  others: [["| `rpm`, `tpm` of a row |", "Names of LiteLLM's."], [
    "### Keys, teams and budgets",
    "The left column has LiteLLM's names; migrating_test.ts and commands_test.ts try the right one.",
  ], [
    "every key begins at 0",
    "New records have no spend: there is nothing that could be carried over.",
  ]],
};
