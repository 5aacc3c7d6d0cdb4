import assert from "node:assert/strict";
import type { FinishEvent } from "../../canonical/event.ts";
import { renderStop, renderUsage } from "./render_message.ts";

const finish = (stop_reason: string | undefined, reason: FinishEvent["reason"] = "stop"): FinishEvent => ({
  type: "finish",
  reason,
  extra: stop_reason === undefined ? undefined : { messages: { stop_reason } },
});

Deno.test("renderStop says tool_use where there is a call, whatever the provider calls the end", () => {
  const rows = [
    ["end_turn", true, "tool_use"],
    ["tool_use", true, "tool_use"],
    [undefined, true, "tool_use"],
    ["end_turn", false, "end_turn"],
    // Calls that the client did not want are left out.
    ["tool_use", false, "end_turn"],
    [undefined, false, "end_turn"],
    ["stop_sequence", true, "stop_sequence"],
    ["max_tokens", true, "max_tokens"],
    ["pause_turn", false, "pause_turn"],
    ["model_context_window_exceeded", false, "model_context_window_exceeded"],
  ] as const;
  for (const [own, calls, expected] of rows) {
    const { stop_reason } = renderStop(finish(own), { calls, refusal: false, fetches: 0 });
    assert.equal(stop_reason, expected, `${own}, ${calls}`);
  }
});

Deno.test("renderUsage counts searches and pages as Anthropic does, and says null where there are none", () => {
  const toolUse = (searches: unknown, fetches = 0) =>
    renderUsage(undefined, {
      settled: { server_tool_use_details: { web_search_requests: searches } },
      fetches,
    }).server_tool_use;
  assert.equal(renderUsage(undefined, {}).server_tool_use, null);
  assert.equal(toolUse(0), null);
  assert.deepEqual(toolUse(2), { web_search_requests: 2, web_fetch_requests: 0 });
  assert.deepEqual(toolUse(0, 1), { web_search_requests: 0, web_fetch_requests: 1 });
});
