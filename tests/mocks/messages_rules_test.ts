import assert from "node:assert/strict";
import { messagesComplaint } from "./messages_rules.ts";

const call = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const thought = { type: "thinking", thinking: "Hm.", signature: "s" };
const user = { role: "user", content: "Hi" };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "7" }] };

const body = (content: readonly object[]) => ({
  model: "m",
  max_tokens: 4_000,
  tools: [{ name: "f", input_schema: { type: "object" } }],
  messages: [user, { role: "assistant", content }, result],
});
const thinking = { type: "enabled", budget_tokens: 1_024 };

Deno.test("messagesComplaint wants a thought at the beginning of a turn that thinks on", () => {
  assert.equal(messagesComplaint(body([call])), undefined);
  assert.equal(messagesComplaint({ ...body([thought, call]), thinking }), undefined);
  const redacted = { type: "redacted_thinking", data: "x" };
  assert.equal(messagesComplaint({ ...body([redacted, call]), thinking }), undefined);
  const refused = messagesComplaint({ ...body([call]), thinking });
  assert.match(refused?.message ?? "", /but found `tool_use`/);
});
