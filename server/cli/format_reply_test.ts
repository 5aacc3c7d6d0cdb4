import assert from "node:assert/strict";
import { formatReply } from "./format_reply.ts";

/** Rows with a record inside, and what is shown of it. */
const cases = [
  [{
    id: "alert_1",
    alert: {
      type: "key_limit",
      timestamp: "2026-11-21T12:00:00.000Z",
      data: { key_name: "A", threshold: 50, spent: 5.01 },
    },
    status: "sent",
    ended_at: null,
  }, "alert: type key_limit, timestamp 2026-11-21T12:00:00.000Z, key_name A, threshold 50, spent 5.01"],
  [{
    id: "5f0c",
    name: "Warehouse",
    delivery: { sent: 12, lost: 0, last_sent_at: null, last_error: "status 500\u001b[2J" },
  }, "delivery: sent 12, lost 0, last_error status 500?[2J"],
] as const;

Deno.test("lists of alerts and destinations show what an alert tells and how the delivery stands", () => {
  for (const [row, shown] of cases) {
    const narrow = formatReply({ data: [row] }, { width: 40 }).split("\n");
    assert.ok(narrow.includes(`  ${shown}`), narrow.join("\n"));
    const [, , wide = ""] = formatReply({ data: [row] }, { width: 1_000 }).split("\n");
    assert.ok(wide.includes(shown.slice(shown.indexOf(" ") + 1)), wide);
  }
});
