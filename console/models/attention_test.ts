import assert from "node:assert/strict";
import type { GatewayStatus } from "../../shared/management/status.ts";
import type { KeyRecord } from "../../shared/keys.ts";
import { noticesOf } from "./attention.ts";

const now = "2026-11-24T02:00:00.000Z";
const well = { ok: true, reason: null };
const status: GatewayStatus = {
  version: "1",
  now,
  started_at: now,
  endpoints: [],
  plugins: [],
  endpoint_counts: { well: 0, cooling_down: 0, misconfigured: 0 },
  store: { ...well, answer_ms: 1 },
  ledger: well,
  blobs: { ...well, configured: true, bytes: 0, files: 0 },
  sandbox: { configured: false, ok: null, reason: null, engine: null, engine_reason: null },
  instances: null,
  overrun: { usd: 0, receipts: 1, since: "2026-11-01" },
};

interface Money {
  readonly limit: number;
  readonly left: number;
}

const key = (name: string, { limit, left }: Money): KeyRecord => ({
  ...{
    hash: name.padEnd(64, "0"),
    name,
    label: "",
    disabled: false,
    limit,
    limit_remaining: left,
    limit_reset: "monthly",
  },
  ...{
    include_byok_in_limit: false,
    usage: 0,
    usage_daily: 0,
    usage_weekly: 0,
    usage_monthly: 0,
    byok_usage: 0,
  },
  ...{ byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0, created_at: now, updated_at: null },
  ...{ expires_at: null, creator_user_id: null, workspace_id: "w", external_user: null },
});

Deno.test("nothing needs attention while all is well", () => {
  assert.deepEqual(noticesOf(status, [key("a", { limit: 100, left: 50 })]), []);
  assert.deepEqual(noticesOf(undefined, []), []);
});

Deno.test("the worst comes first, each with its act", () => {
  const endpoint: GatewayStatus["endpoints"][number] = {
    ...{
      endpoint_id: "groq|m|m",
      provider: "groq",
      provider_name: "Groq",
      model: "gpt-oss",
      standing: "cooling_down",
    },
    ...{ rests_until: "2026-11-24T02:00:38.000Z", reason: "status 429: too many requests", p50_ms: 1 },
    ...{ requests_5m: 3, failures_5m: 3, single_use_until: null, is_byok: false },
  };
  const notices = noticesOf({ ...status, endpoints: [endpoint] }, [
    key("nearly", { limit: 100, left: 4 }),
    key("spent", { limit: 25, left: 0 }),
  ]);
  assert.deepEqual(notices.map(({ subject, tone }) => [subject, tone]), [
    ["spent", "bad"],
    ["Groq · gpt-oss", "warn"],
    ["nearly", "warn"],
  ]);
  assert.match(notices[1]?.text ?? "", /cools down for 38 s more: status 429/);
  assert.match(notices[2]?.text ?? "", /has spent 96 % of its limit of \$100\.00/);
  assert.deepEqual(notices[0]?.action, { label: "Raise the limit", key: "spent".padEnd(64, "0") });
});

Deno.test("an endpoint whose connections are used once needs attention although it is well", () => {
  const endpoint: GatewayStatus["endpoints"][number] = {
    ...{ endpoint_id: "x|m|m", provider: "x", provider_name: "X", model: "m", standing: "well" },
    ...{ rests_until: null, reason: null, single_use_until: "2026-11-24T02:10:00.000Z", p50_ms: 1 },
    ...{ requests_5m: 3, failures_5m: 0, is_byok: false },
  };
  const [notice] = noticesOf({ ...status, endpoints: [endpoint] }, []);
  assert.deepEqual([notice?.tone, notice?.subject], ["warn", "X · m"]);
  assert.match(notice?.text ?? "", /bytes that belong to no request.* used once for 10 min more/);
});

Deno.test("a refused key is told as the gateway's or as a workspace's own", () => {
  const said = (is_byok: boolean) =>
    noticesOf({
      ...status,
      endpoints: [{
        ...{ endpoint_id: "x|m|m", provider: "x", provider_name: "X", model: "m", standing: "misconfigured" },
        ...{ rests_until: now, reason: "status 401", single_use_until: null, p50_ms: null, is_byok },
        ...{ requests_5m: 3, failures_5m: 3 },
      }],
    }, []).map(({ tone, text }) => [tone, text]);
  assert.deepEqual(said(false), [
    ["bad", " refuses the gateway's key (status 401). Correct its variable and start the gateway again."],
  ]);
  assert.deepEqual(said(true), [
    [
      "warn",
      " refuses a workspace's own key (status 401). Replace it among the provider keys of that workspace.",
    ],
  ]);
});
