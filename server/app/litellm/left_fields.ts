/** Why fields of LiteLLM's rows and settings are not taken, and what is nearest to them here. */

const RATES =
  "a provider's rate has no limit here: what answers 429 rests, and keys and workspaces have rate limits";
const CLOUD = "the cloud's own variables say it (docs/settings.md)";
const PRESET = "a preset keeps such settings for requests that name it (docs/presets.md)";

const reasons: ReadonlyMap<string, string> = new Map([
  ["rpm", RATES],
  ["tpm", RATES],
  ["max_parallel_requests", RATES],
  ["weight", "endpoints of a model are drawn by their price, and models of a name are tried in order"],
  ["timeout", "limits.answer_seconds and limits.stream_seconds hold for every model"],
  ["stream_timeout", "limits.first_byte_seconds holds for every built-in model"],
  ["max_retries", "limits.attempts holds for every model"],
  ["num_retries", "limits.attempts holds for every model"],
  ["cooldown_time", "an endpoint that fails rests for 5 s, doubling to 30 s"],
  ["tags", "requests choose no endpoint by tags: guardrails say which models a key may use"],
  ["max_budget", "a provider has no budget here: keys and workspaces have"],
  ["budget_duration", "a provider has no budget here: keys and workspaces have"],
  ["extra_headers", "it may hold a secret and was not copied: write it under headers of a provider"],
  ["headers", "it may hold a secret and was not copied: write it under headers of a provider"],
  ["extra_body", "write it under quirks.extra_body of a provider"],
  ...[
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "top_k",
    "stop",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "reasoning_effort",
    "thinking",
    "response_format",
  ].map((name) => [name, PRESET] as const),
  [
    "additional_drop_params",
    "what a model does not take is left out of itself; quirks.omit of a provider names more",
  ],
  ["api_version", CLOUD],
  ["region_name", "a provider of the file may state its region, by which guardrails choose"],
]);

export function whyFieldIsLeft(field: string): string {
  if (/^(?:aws|vertex|s3|gcs)_/.test(field)) return CLOUD;
  return reasons.get(field) ?? "it has no counterpart";
}

const SECRETS = "set what the gateway needs in its environment: no value was copied";
const PROXY_BUDGET = "the gateway as a whole has no budget: set those of workspaces, or credits";
const CALLBACKS = "set up a destination (docs/destinations.md), or TOLLGATE_METRICS for Prometheus";
const COOLDOWN = "an endpoint rests after three failures in a row, for 5 s, doubling to 30 s";
const CACHE = "a request, or its preset, asks for the response cache (docs/response-cache.md)";

/** By section and name. */
const settings: ReadonlyMap<string, string> = new Map([
  ["litellm_settings.cache", CACHE],
  ["litellm_settings.cache_params", CACHE],
  ...["callbacks", "success_callback", "failure_callback", "service_callback"].map((name) =>
    [`litellm_settings.${name}`, CALLBACKS] as const
  ),
  ["litellm_settings.allowed_fails", COOLDOWN],
  ["litellm_settings.cooldown_time", COOLDOWN],
  ["litellm_settings.max_budget", PROXY_BUDGET],
  ["litellm_settings.budget_duration", PROXY_BUDGET],
  ["litellm_settings.set_verbose", "set LOG_LEVEL=debug"],
  ["litellm_settings.json_logs", "set LOG_FORMAT=json"],
  ["litellm_settings.cost_discount_config", "write the prices under models"],
  ["litellm_settings.cost_margin_config", "write the prices under models"],
  ["router_settings.allowed_fails", COOLDOWN],
  ["router_settings.cooldown_time", COOLDOWN],
  ["router_settings.retry_policy", "docs/routing.md says which failures are tried elsewhere"],
  ["router_settings.max_fallbacks", "limits.attempts is the most that a request tries"],
  ["router_settings.provider_budget_config", "a provider has no budget here: keys and workspaces have"],
  ...["redis_host", "redis_port", "redis_password", "redis_url"].map((name) =>
    [`router_settings.${name}`, "gateways share PostgreSQL, which TOLLGATE_STORE names"] as const
  ),
  ["general_settings.alerting", "write alerts.webhook (docs/alerts.md)"],
  ["general_settings.alert_types", "write alerts.webhook (docs/alerts.md)"],
  ["general_settings.max_parallel_requests", "rate limits of keys and workspaces count streams"],
  ["general_settings.global_max_parallel_requests", "rate limits of keys and workspaces count streams"],
  ["general_settings.pass_through_endpoints", "nothing is passed on but the routes of docs/clients.md"],
]);

const sections: ReadonlyMap<string, string> = new Map([
  ["environment_variables", SECRETS],
  ["credential_list", SECRETS],
  ["guardrails", "make guardrails of the gateway's own (docs/guardrails.md)"],
  ["mcp_servers", "requests name MCP servers themselves (docs/server-tools.md)"],
  ["search_tools", "search engines have variables of their own (docs/server-tools.md)"],
  ["include", "files that are named there were not read: import each of them"],
]);

export const whySectionIsLeft = (section: string): string =>
  sections.get(section) ?? "it has no counterpart in the file";

export const whySettingIsLeft = (section: string, name: string): string =>
  settings.get(`${section}.${name}`) ?? "it has no counterpart";
