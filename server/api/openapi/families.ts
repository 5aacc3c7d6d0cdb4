/** Families of operations: groups of the API document and of llms.txt, in the order in which they are shown. */

import type { OperationId } from "../../../shared/management/api.ts";
import type { CallOperationId } from "./call_operations.ts";

type FamilyOf<Id extends string> = Id extends `${infer Family}.${string}` ? Family : Id;
type Family = FamilyOf<OperationId | CallOperationId>;

const abouts: { readonly [F in Family]: string } = {
  responses: "Models by OpenAI's Responses API.",
  chat: "Models by OpenAI's Chat Completions API.",
  messages: "Models by Anthropic's Messages API.",
  audio: "Text to speech.",
  embeddings: "Texts as vectors.",
  route: "Where a request would go.",
  models: "Models and their endpoints.",
  model: "One model.",
  providers: "Providers.",
  endpoints: "Endpoints of all models.",
  key: "The caller's own key.",
  generations: "Receipts of single requests, and feedback on them.",
  files: "Files that requests name, and those that the server made.",
  containers: "Containers in which models run commands, with their files.",
  keys: "API keys with limits.",
  management_keys: "Keys that manage the gateway.",
  clients: "Connect clients, which make keys for their own users.",
  workspaces: "Workspaces with members and rate limits.",
  budgets: "Budgets of workspaces.",
  guardrails: "Guardrails: limits, allowed models, content filters.",
  presets: "Settings of requests, kept under a name, in versions.",
  destinations: "Where receipts of workspaces are sent.",
  classifiers: "Rules that tag receipts by their fields.",
  byok: "Workspaces' own keys of providers.",
  credits: "Credits of the gateway.",
  receipts: "Receipts of all requests.",
  activity: "Use by day and model.",
  analytics: "Questions about use over time.",
  attention: "What an operator should look at.",
  alerts: "Alerts of the last days.",
  audit: "Who changed what.",
  status: "Health as managers see it.",
  doctor: "Checks of the gateway.",
  settings: "Settings in force.",
  reload: "Settings read again.",
  backup: "A copy of the store.",
  playground: "The console's playground.",
  mcp: "The gateway as an MCP server.",
  health: "Probes.",
  metrics: "Metrics for Prometheus.",
  document: "This description.",
};

export const families: readonly (readonly [string, string])[] = Object.entries(abouts);

/** The family of an operation by its id. */
export const familyOf = (id: string): string => id.split(".", 1)[0] ?? id;
