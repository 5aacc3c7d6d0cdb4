/** docs/metrics.md. */

import { MOST_VALUES } from "../../../server/metrics/catalog_labels.ts";
import { CALM_MS, CALM_SHARE, LAG_MS, LATE_MS } from "../../../server/overload/overload_guard.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { EXPIRING_DAYS, NEARLY_SHARE } from "../../../shared/management/lists/key_sorts.ts";
import { MIN_OPERATOR_KEY_CHARS } from "../../../shared/keys.ts";
import { type HeldPage, inWords, says, seconds, timeInWords } from "./held_page.ts";

const LITELLM = "A name of LiteLLM's.";
const SERVED = "A counter of the table, with the end that all counters have.";
const RULES = "deploy/prometheus/alerts.yaml";

export const metrics: HeldPage = {
  rows: [
    says`(at least ${MIN_OPERATOR_KEY_CHARS} characters)`,
    says`it is ${kinds.not_found.status} then`,
    ["an endpoint is down for 10 minutes", RULES, "        for: 10m"],
    ["has six alert rules", "tests/deploy/monitoring_test.ts", "assert.equal(rules.length, 6);"],
    says`beyond the first ${MOST_VALUES} of them`,
    says`expire within ${inWords(EXPIRING_DAYS)} days`,
    says`nearly at a limit (${NEARLY_SHARE * 100} %)`,
    says`more than ${LAG_MS} ms late at every turn for ${seconds(LATE_MS)} s`,
    says`refused with ${kinds.unavailable.status} and \`Retry-After\``,
    says`the loop was in time for ${timeInWords(CALM_MS)}`,
    says`below ${CALM_SHARE * 100} % of the limit`,
  ],
  others: [
    ["version 1.41", "A version of OpenTelemetry's conventions."],
    ["0 well, 1 resting or on probation, 2 misconfigured", "A table of server/app/compose/metrics.ts."],
    ["looked at ten times a second", "LOOK_MS is 100."],
    ["the first hundred of a request", "Receipts have as many."],
    ["`tollgate_overloaded` is 1 meanwhile", "A gauge."],
    ["`tollgate_overload_refusals_total` counts", SERVED],
    ["| `litellm_spend_metric` | `tollgate_cost_usd_total` |", SERVED],
    ["| `litellm_total_tokens_metric` | `tollgate_tokens_total` |", SERVED],
    ["| `litellm_remaining_api_key_budget_metric` |", LITELLM],
    ["| `litellm_overhead_latency_metric` |", LITELLM],
    ["| `litellm_llm_api_time_to_first_token_metric` |", LITELLM],
    ["| `litellm_deployment_state` |", LITELLM],
    ["| `litellm_in_flight_requests` |", LITELLM],
  ],
};
