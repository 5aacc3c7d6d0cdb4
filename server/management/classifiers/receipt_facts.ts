/** Facts of receipts that rules compare: no content, and nothing that a look-up is needed for. */

import { nanoToUsd } from "../../../shared/money.ts";
import type { TagRuleField } from "../../../shared/observability/tag_rule_fields.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { Fact } from "./fact_tests.ts";

export const receiptFacts: { readonly [F in TagRuleField]: (receipt: Receipt) => Fact } = {
  model: ({ model, requested_model }) => model ?? requested_model,
  requested_model: ({ requested_model }) => requested_model,
  provider: ({ provider }) => provider,
  api: ({ api }) => api,
  status: ({ status }) => status,
  error_kind: ({ error }) => error?.kind,
  finish_reason: ({ finish_reason }) => finish_reason,
  api_key_hash: ({ key_hash }) => key_hash,
  session_id: ({ session_id }) => session_id,
  user_id: ({ user, external_user }) => user ?? external_user,
  app_title: ({ app_title }) => app_title,
  http_referer: ({ http_referer }) => http_referer,
  user_agent: ({ user_agent }) => user_agent,
  service_tier: ({ service_tier }) => service_tier,
  router: ({ router }) => router,
  preset: ({ preset }) => preset?.slug,
  task: ({ task }) => task,
  total_cost: ({ cost }) => nanoToUsd(BigInt(cost)),
  total_tokens: ({ usage }) => (usage["input_tokens"] ?? 0) + (usage["output_tokens"] ?? 0),
  prompt_tokens: ({ usage }) => usage["input_tokens"] ?? 0,
  completion_tokens: ({ usage }) => usage["output_tokens"] ?? 0,
  total_ms: ({ total_ms }) => total_ms,
  latency_ms: ({ latency_ms }) => latency_ms,
  attempts: ({ attempts }) => attempts.length,
};
