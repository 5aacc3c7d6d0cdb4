/** docs/errors.md; held_numbers_test.ts reads its table of limits. */

import { limitsSchema } from "../../../server/config/limits.ts";
import { CONNECTIONS } from "../../../server/storage/stores/postgres/open_postgres.ts";
import { MAX_WAIT_DEADLINES } from "../../../server/storage/stores/postgres/statements.ts";
import { apiErrorKinds as kinds, statusForOperation } from "../../../shared/errors.ts";
import { type HeldPage, inWords, says } from "./held_page.ts";

const JSON_LIMITS = "server/api/body/json_limits.ts";

export const errors: HeldPage = {
  rows: [
    says`| ${kinds.invalid_request.status}, ${kinds.unprocessable.status} | the request is at fault`,
    says`${kinds.unprocessable.status} is for what is well-formed and makes no sense`,
    says`\`/v1/messages\` has ${statusForOperation("create_message", "unprocessable")} for both`,
    says`| ${kinds.unauthorized.status} | the key is missing`,
    says`| ${kinds.payment_required.status} | a [spending limit]`,
    says`| ${kinds.forbidden.status} | the key is of the wrong kind`,
    says`| ${kinds.not_found.status} | there is no such model`,
    says`| ${kinds.precondition_failed.status} | a download's`,
    says`| ${kinds.slow_request.status}, ${kinds.upstream_timeout.status} | a deadline passed`,
    says`| ${kinds.too_large.status} | the body is too large`,
    says`| ${kinds.rate_limited.status} | too much at once`,
    says`| ${kinds.upstream_failed.status}, ${kinds.unavailable.status}, ${kinds.overloaded.status} | the providers`,
    says`key of the gateway's is [${kinds.upstream_failed.status} for as long as it lasts]`,
    says`after ${inWords(limitsSchema.parse({}).heartbeat_seconds)} silent seconds`,
    [
      "are 200 with the error in the response",
      "tests/server_tools/failed_turns_test.ts",
      "after a paid turn leaves what was made",
    ],
    says`before it, ${inWords(MAX_WAIT_DEADLINES)} times as long for one of ${CONNECTIONS} connections`,
    [
      "(limit on open files − 64) ÷ 2",
      "server/config/limits.ts",
      "Math.floor((fileLimit - OTHER_FILES) / 2)",
    ],
    [
      "the longest idle one is closed, else 503",
      "tests/http_server/accept_test.ts",
      "a front answers 503 beyond the limit where no connection is idle",
    ],
    [
      "JSON may be 64 levels deep, with at most 200,000 keys and 1,000,000 values",
      JSON_LIMITS,
      "{ maxDepth: 64, maxKeys: 200_000, maxValues: 1_000_000 }",
    ],
  ],
  others: [["## Limits of a request", "The table of limits is read row by row in held_numbers_test.ts."]],
};
