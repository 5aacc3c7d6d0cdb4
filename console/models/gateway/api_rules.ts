/** Rules of the form of an operation: who sends it, whether it can be sent, and whether one is asked before. */

import type { ApiOperation } from "./api_reference.ts";

/** Operations that a session calls by the key of the playground. */
const modelCalls: ReadonlySet<string> = new Set([
  "responses.create",
  "chat.completions.create",
  "messages.create",
  "embeddings.create",
]);
/** Operations that a session cannot call, or whose answer is no text that ends. */
const untried: ReadonlySet<string> = new Set([
  "mcp",
  "messages.count_tokens",
  "audio.speech.create",
  "files.upload",
  "receipts.tail",
  "backup.get",
  "metrics.get",
]);
/** Operations that end or replace what a second request does not bring back; besides them, all that delete. */
const lasting: ReadonlySet<string> = new Set([
  "keys.rotate",
  "keys.update",
  "clients.rotate",
  "clients.revoke",
  "workspaces.members.remove",
  "guardrails.assignments.keys.add",
  "guardrails.assignments.keys.remove",
  "guardrails.assignments.members.add",
  "guardrails.assignments.members.remove",
  "byok.update",
  "presets.update",
  "destinations.update",
  "classifiers.update",
  "reload",
]);

/** Whether it is sent by the key of the playground, and costs what the model costs. */
export const isModelCall = ({ id }: Pick<ApiOperation, "id">): boolean => modelCalls.has(id);

export const canTry = ({ id }: Pick<ApiOperation, "id">): boolean => !untried.has(id);

/** Whether one is asked before it is sent. */
export const asksFirst = ({ id, method }: Pick<ApiOperation, "id" | "method">): boolean =>
  method === "DELETE" || lasting.has(id);
