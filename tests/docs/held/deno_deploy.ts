/** Deno Deploy: its page of that name. */

import { UNSEEN_MS } from "../../../server/management/core/cache_versions.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { type HeldPage, says, timeInWords } from "./held_page.ts";

const DEPLOYED = "tests/deno_deploy/deno_deploy_test.ts";
const LIMITS = "server/config/limits.ts";

export const denoDeploy: HeldPage = {
  rows: [
    says`reaches the others within ${timeInWords(UNSEEN_MS)}`,
    ["Responses have four seconds to end", LIMITS, "const DEPLOY_DRAIN_SECONDS = 4;"],
    [
      "recovered by the next one after 60 s",
      "server/billing/ledger/quota/dead_instance_recovery.ts",
      "const INSTANCE_DEAD_MS = 60_000;",
    ],
    says`forces one is ${kinds.invalid_request.status}`,
    says`uploads are ${kinds.invalid_request.status}`,
    [
      "answers 503 within two seconds while the store hangs",
      "server/storage/stores/store_deadline.ts",
      "STORE_DEADLINE_MS = 2_000",
    ],
    ["and stops within five", DEPLOYED, "it ends within what the platform gives"],
  ],
  others: [["ends the process five seconds later", "Of the platform's documentation."]],
};
