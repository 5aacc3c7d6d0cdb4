/**
 * An example body of every operation that takes one. They run where models are the built-in ones; ids are those
 * below, for which a client puts its own.
 */

import type { managementApi } from "../../../shared/management/api.ts";
import type { callOperations } from "./call_operations.ts";

type Bodies<Table> = {
  [Id in keyof Table]: Table[Id] extends { readonly body: infer Body }
    ? (Body extends "multipart" ? never : Id)
    : never;
}[keyof Table];

/** Ids of operations whose body is JSON. */
type BodyOperationId = Bodies<typeof managementApi> | Bodies<typeof callOperations>;

/** Stand in for the ids of a gateway's own records. */
export const exampleIds = {
  hash: "3f0a3f6c1f4d4d2b9a7e5c8d1b2a4f60718293a4b5c6d7e8f90112233445566f",
  generation: "gen-0199f5a2c3d44e5f8a9b0c1d2e3f4a5b",
} as const;

const keys = { key_hashes: [exampleIds.hash] };
const members = { member_user_ids: ["ada"] };
const analytics = { metrics: ["request_count", "total_usage"], dimensions: ["model"], granularity: "day" };
const rates = { requests_per_minute: 60, tokens_per_minute: 100_000, concurrent_streams: 4 };
const hello = "Say hello.";
const brief = "Answer in two sentences.";

const examples: { readonly [Id in BodyOperationId]: unknown } = {
  "responses.create": { model: "local/echo", input: hello },
  "chat.completions.create": { model: "local/echo", messages: [{ role: "user", content: hello }] },
  "messages.create": { model: "local/echo", max_tokens: 256, messages: [{ role: "user", content: hello }] },
  "messages.count_tokens": { model: "local/echo", messages: [{ role: "user", content: hello }] },
  "audio.speech.create": { model: "local/voice", input: hello, voice: "en", response_format: "mp3" },
  "embeddings.create": { model: "local/embed", input: ["A first text.", "Another one."], dimensions: 8 },
  "route.explain": { model: "local/echo", input: hello },
  mcp: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  "keys.create": { name: "Checkout service", limit: 25, limit_reset: "monthly" },
  "keys.update": { name: "Checkout service, Europe", limit: 50 },
  "keys.update_many": { hashes: [exampleIds.hash], changes: { limit: 10 } },
  "keys.rotate": { overlap_seconds: 3_600 },
  "keys.rate_limits.set": rates,
  "management_keys.create": { name: "Reporting", read_only: true },
  "management_keys.update": { name: "Reports of the month" },
  "clients.create": { name: "Partner portal" },
  "clients.rotate": { overlap_seconds: 3_600 },
  "workspaces.create": { name: "Research", slug: "research" },
  "workspaces.update": { description: "Models for the research team" },
  "workspaces.members.add": { user_ids: ["ada", "grace"] },
  "workspaces.members.remove": { user_ids: ["grace"] },
  "workspaces.rate_limits.set": rates,
  "budgets.set": { limit_usd: 500 },
  "guardrails.create": {
    name: "No e-mail addresses",
    content_filters: [{ pattern: "[a-z0-9.]+@[a-z0-9.]+", action: "redact" }],
  },
  "guardrails.update": { limit_usd: 100, reset_interval: "monthly" },
  "guardrails.test": { text: "Write to ada@example.org." },
  "guardrails.assignments.keys.add": keys,
  "guardrails.assignments.keys.remove": keys,
  "guardrails.assignments.members.add": members,
  "guardrails.assignments.members.remove": members,
  "presets.update": { description: "Support answers in two sentences", status: "active" },
  "presets.save.chat": {
    model: "local/echo",
    temperature: 0.2,
    messages: [{ role: "system", content: brief }],
  },
  "presets.save.responses": { model: "local/echo", max_output_tokens: 200, instructions: brief },
  "presets.save.messages": { model: "local/echo", max_tokens: 200, system: brief },
  "destinations.create": {
    type: "webhook",
    name: "Warehouse",
    config: { url: "https://receipts.example.com/tollgate" },
    sampling_rate: 0.5,
  },
  "destinations.update": { enabled: false },
  "classifiers.create": {
    name: "Dear requests",
    tag: "dear",
    conditions: [{ field: "total_cost", operator: "gte", value: 0.05 }],
  },
  "classifiers.update": { tag: "very-dear" },
  "byok.create": { provider: "openai", key: "sk-example-0123456789abcdef", name: "Team account" },
  "byok.update": { is_fallback: true },
  "credits.add": { amount_usd: 100, reason: "Budget of the quarter" },
  "generations.feedback": {
    generation_id: exampleIds.generation,
    category: "incorrect_response",
    comment: "The total is wrong.",
  },
  "analytics.query": analytics,
  "analytics.export": analytics,
  "providers.test": { model: "openai/gpt-5-mini" },
  reload: {},
};

const byId: ReadonlyMap<string, unknown> = new Map(Object.entries(examples));

/** The example body of an operation; undefined where it takes no JSON. */
export const exampleOf = (id: string): unknown => byId.get(id);
