import assert from "node:assert/strict";
import type { Alert } from "../../../shared/management/alerts.ts";
import { webhookBody } from "./webhook_body.ts";

const expiring = (key_name: string): Alert => ({
  type: "key_expiring",
  timestamp: "2026-11-21T12:00:00.000Z",
  data: { key_hash: "ab".repeat(32), key_name, workspace_id: "w", expires_at: "2026-11-25T12:00:00.000Z" },
});

const textOf = (name: string): string =>
  JSON.parse(webhookBody("slack", { id: "alert_1", alerts: [expiring(name)] })).text;

/** Names, and what stands for them; `|` is a space of no width. */
const names = {
  "@all": "@|all",
  "@here, @channel": "@|here, @|channel",
  "a@evil.example": "a@|evil.example",
  "<!channel>": "&lt;!channel&gt;",
  "<@U123>": "&lt;@|U123&gt;",
  "~town-square": "~|town-square",
  "#tag": "#|tag",
  "www.evil.example": "www|.evil.example",
  "WWW.evil.example": "WWW|.evil.example",
  "https://evil.example": "https:|//evil.example",
  "ftp:/evil.example": "ftp:|/evil.example",
  "mailto:a@evil.example": "mailto:|a@|evil.example",
  "tel:123": "tel:|123",
  "[here](https://evil.example)": "[here]|(https:|//evil.example)",
  "acme/model:free": "acme/model:free",
  "Team of R&D, 12:00": "Team of R&amp;D, 12:00",
} as const satisfies Readonly<Record<string, string>>;

Deno.test("in the form of Slack a name mentions nobody and makes no link, also where only Mattermost reads it", () => {
  for (const [name, shown] of Object.entries(names)) {
    const text = `Key "${shown.replaceAll("|", "\u200b")}" (abababab) expires at 2026-11-25T12:00:00.000Z.`;
    assert.equal(textOf(name), text, name);
  }
});

Deno.test("the form of data has names as they are", () => {
  const { data } = JSON.parse(webhookBody("json", { id: "alert_1", alerts: [expiring("@all")] }));
  assert.equal(data.key_name, "@all");
});

Deno.test("in the form of Slack several alerts are a list", () => {
  const body = webhookBody("slack", { id: "alerts_1", alerts: ["A", "@B", "C & D"].map(expiring) });
  const line = (name: string) => `\n• Key "${name}" (abababab) expires at 2026-11-25T12:00:00.000Z.`;
  assert.equal(JSON.parse(body).text, `3 alerts:${line("A")}${line("@\u200bB")}${line("C &amp; D")}`);
});
