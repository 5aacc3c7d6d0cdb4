import assert from "node:assert/strict";
import { managementApi } from "../../../shared/management/api.ts";
import type { ManagementOperation } from "../../../shared/management/operation.ts";
import { asksFirst, canTry } from "./api_rules.ts";

/** Changes besides deletions, told a second time and by hand: whether one is asked first. A new one needs a line here. */
const changes: Readonly<Record<string, boolean>> = {
  "keys.create": false,
  "keys.update": true,
  "keys.update_many": false,
  "keys.rotate": true,
  "keys.rate_limits.set": false,
  "management_keys.create": false,
  "management_keys.update": false,
  "clients.create": false,
  "clients.rotate": true,
  "clients.revoke": true,
  reload: true,
  "workspaces.create": false,
  "workspaces.update": false,
  "workspaces.members.add": false,
  "workspaces.members.remove": true,
  "workspaces.rate_limits.set": false,
  "budgets.set": false,
  "guardrails.create": false,
  "guardrails.update": false,
  "guardrails.test": false,
  "guardrails.assignments.keys.add": true,
  "guardrails.assignments.keys.remove": true,
  "guardrails.assignments.members.add": true,
  "guardrails.assignments.members.remove": true,
  "presets.save.chat": false,
  "presets.save.responses": false,
  "presets.save.messages": false,
  "presets.update": true,
  "destinations.create": false,
  "destinations.update": true,
  "destinations.test": false,
  "classifiers.create": false,
  "classifiers.update": true,
  "byok.create": false,
  "byok.update": true,
  "credits.add": false,
  "files.upload": false,
  "containers.files.promote": false,
  "generations.feedback": false,
  "analytics.query": false,
  "analytics.export": false,
  "providers.test": false,
  "doctor.run": false,
};

const rows = Object.entries<ManagementOperation>(managementApi).map(([id, { method }]) => ({ id, method }));

Deno.test("what deletes, ends or replaces asks first, and nothing else", () => {
  const asked = rows.filter(({ method }) => method !== "GET" && method !== "DELETE")
    .map((row) => [row.id, asksFirst(row)]);
  assert.deepEqual(Object.fromEntries(asked), changes);
  for (const row of rows) {
    if (row.method === "DELETE") assert(asksFirst(row), row.id);
    if (row.method === "GET") assert(!asksFirst(row), row.id);
  }
});

Deno.test("what a session cannot call, or what answers without end or with no text, cannot be sent", () => {
  const others = ["mcp", "messages.count_tokens", "audio.speech.create", "metrics.get"];
  const untried = [...others, ...rows.map(({ id }) => id)].filter((id) => !canTry({ id }));
  assert.deepEqual(untried.toSorted(), [...others, "files.upload", "receipts.tail", "backup.get"].toSorted());
});
