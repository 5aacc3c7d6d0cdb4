/** docs/auto-routing.md. */

import { EVERY_MS } from "../../../server/app/compose/receipt_evidence.ts";
import { ceilingOf, costTiers } from "../../../server/pipeline/routing/routers/model_costs.ts";
import { FEWEST_KEYS, FEWEST_VOTES } from "../../../server/pipeline/routing/routers/rank_models.ts";
import { FEWEST_GENERATIONS } from "../../../server/pipeline/routing/routers/receipt_evidence.ts";
import { KEPT_MS } from "../../../server/pipeline/routing/routers/routed_sessions.ts";
import { OLD_DAYS } from "../../../server/pipeline/routing/scores/score_tables.ts";
import { type HeldPage, inWords, says } from "./held_page.ts";

const AUTO = "tests/routers/auto_test.ts";
const PARETO = "tests/routers/pareto_test.ts";
const PLUGIN_FIELDS = "shared/responses/plugins.ts";
const FIELD = "server/pipeline/routing/routers/pareto/coding_field.ts";
const RECEIPTS = "tests/routers/receipts_test.ts";
const SAMPLER = "server/pipeline/stages/receipt/task_sampler.ts";
const MEASURED = "docs/internals/task_classifier.md";
const MEASURED_ALL = "| all | 88.5 % | 80.0 % | 84.5 % | 74.3 % |";
const HELD_OUT = "tests/tasks/held_out_test.ts";

const perTradeoff = ceilingOf(0) - ceilingOf(1);

export const autoRouting: HeldPage = {
  rows: [
    says`\`${costTiers[0]}\` (the cheapest, default), \`${costTiers.slice(1).join("`, `")}\``,
    [
      "`pin_model` | `auto-router` only, default false",
      "server/pipeline/routing/routers/auto_router.ts",
      "pin_model === true",
    ],
    ["`cost_quality_tradeoff` | 0 to 10", PLUGIN_FIELDS, "cost_quality_tradeoff: z.int().min(0).max(10)"],
    says`at percentile ${ceilingOf(0)} − ${perTradeoff} × its value`,
    says`answered its last turn for ${inWords(KEPT_MS / 60_000)} minutes`,
    ["Where nothing is left the answer is 404", AUTO, "what is excluded is out, and none left is 404"],
    ["the percentile, 0 to 1", PLUGIN_FIELDS, "min_coding_score: z.number().min(0).max(1)"],
    ["0 to 1. From 0.66 on", FIELD, 'minimum >= 0.66 ? "high"'],
    ["From 0.33 on: medium", FIELD, 'minimum >= 0.33 ? "medium" : "low"'],
    [
      "with none the answer is 404 and names the cheapest",
      "tests/routers/receipts_prices_test.ts",
      "is 404, and names the cap and the cheapest",
    ],
    [
      "`prompt`: list prices (default)",
      PARETO,
      "weighted_avg reads what was paid, and the list price where there is no traffic",
    ],
    ["in the last seven days, the list price", RECEIPTS, "votes count for seven days"],
    ["Where there is none the answer is 404", PARETO, "asObject(asObject(paid).refusal).status, 404"],
    [
      "A name of an empty family is 404",
      "tests/routers/latest_test.ts",
      "an empty family is 404 and names the author's families",
    ],
    ["for two seconds at the most", "server/pipeline/stages/classify_task.ts", "const MOST_MS = 2_000;"],
    ["spent on the task in the last seven days", RECEIPTS, "votes count for seven days"],
    says`${FEWEST_VOTES} requests of at least ${FEWEST_KEYS} keys`,
    ["a score for the task, 0 to 100", "server/config/routers/routing_settings.ts", "min(0).max(100)"],
    says`average cost counts from ${FEWEST_GENERATIONS} of its requests`,
    says`every ${inWords(EVERY_MS / 60_000)} minutes`,
    ["of the last seven days in whole hours", RECEIPTS, "votes count for seven days"],
    ["of up to 1,000 requests at once", SAMPLER, "const MOST = 1_000;"],
    ["100 a second in the long run", SAMPLER, "const PER_SECOND = 100;"],
    says`older than ${OLD_DAYS} days`,
    [
      "shares of models by task or macro, 0 to 1",
      "shared/routing/scores.ts",
      "z.number().min(0).max(1))),",
    ],
    ["On 400 short prompts that it was not made of", HELD_OUT, "count: 400, leastMacro: 0.85"],
    ["the right macro for 88 of 100 and the right task for 80", MEASURED, MEASURED_ALL],
    ["on long ones for 84 and 74", MEASURED, MEASURED_ALL],
    ["some collections of other people (34 to 100 of 100", MEASURED, "| BFCL | 400 | 48 % | 34 % |"],
    ["100 by task)", MEASURED, "| evals: SQL | 40 | 100 % | 100 % |"],
  ],
  others: [
    ["`gpt-5.4-mini` is no `gpt`", "An example."],
    ["`claude-3-opus`", "An example."],
    ["0.2 ms for 10 KB", "Measured."],
    ["OpenRouter takes 30 a minute and 500 a day", "A limit of OpenRouter's."],
    ["are those of tokens over seven days", "A statement about OpenRouter's data."],
    ["under CC BY-SA 4.0", "The name of a licence."],
    ["under CC BY 4.0", "The name of a licence."],
  ],
};
