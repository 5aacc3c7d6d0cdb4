import assert from "node:assert/strict";
import type { GatewayStatus } from "../../shared/management/status.ts";
import type { AttentionKey, AttentionList } from "../../shared/management/attention.ts";
import { noticesOf } from "./attention.ts";

const now = "2026-11-24T02:00:00.000Z";
const well = { ok: true, reason: null };
const status: GatewayStatus = {
  version: "1",
  now,
  started_at: now,
  endpoints: [],
  plugins: [],
  endpoint_counts: { well: 0, probe: 0, cooling_down: 0, misconfigured: 0 },
  store: { ...well, answer_ms: 1 },
  ledger: well,
  blobs: { ...well, configured: true, bytes: 0, files: 0 },
  sandbox: { configured: false, ok: null, reason: null, engine: null, engine_reason: null },
  instances: null,
  overrun: { usd: 0, receipts: 1, since: "2026-11-01" },
};

const none = { count: 0, first: [] };
const list: AttentionList = {
  as_of: now,
  keys: { reached: none, nearly: none, expiring: none },
  budgets: { reached: none, nearly: none },
  destinations: { failing: none },
};

const workspaceName = (id: string) => `Name of ${id}`;

interface KeyFacts {
  readonly limit?: number;
  readonly left?: number;
  readonly expires?: string;
}

const key = (name: string, { limit, left, expires }: KeyFacts): AttentionKey => ({
  hash: name.padEnd(64, "0"),
  name,
  workspace_id: "w",
  limit: limit ?? null,
  limit_remaining: left ?? null,
  expires_at: expires ?? null,
});

const one = (name: string, facts: KeyFacts) => ({ count: 1, first: [key(name, facts)] });

/** Notices of a status alone. */
const noticesOfStatus = (changes: Partial<GatewayStatus>) =>
  noticesOf({ status: { ...status, ...changes }, list: undefined, workspaceName });

Deno.test("nothing needs attention while all is well", () => {
  assert.deepEqual(noticesOf({ status, list, workspaceName }), []);
  assert.deepEqual(noticesOf({ status: undefined, list: undefined, workspaceName }), []);
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
  const keys = {
    ...list.keys,
    nearly: one("nearly", { limit: 100, left: 4 }),
    reached: one("spent", { limit: 25, left: 0 }),
  };
  const notices = noticesOf({
    status: { ...status, endpoints: [endpoint] },
    list: { ...list, keys },
    workspaceName,
  });
  assert.deepEqual(notices.map(({ subject, tone }) => [subject, tone]), [
    ["spent", "bad"],
    ["Groq · gpt-oss", "warn"],
    ["nearly", "warn"],
  ]);
  assert.match(notices[1]?.text ?? "", /cools down for 38 s more: status 429/);
  assert.match(notices[2]?.text ?? "", /has spent 96 % of its limit of \$100\.00/);
  assert.deepEqual(notices[0]?.action, {
    label: "Raise the limit",
    path: "/keys",
    query: { key: "spent".padEnd(64, "0") },
  });
});

Deno.test("destinations that fail need attention, and others are counted", () => {
  const first = Array.from({ length: 5 }, (_, at) => ({
    ...{ id: `d${at}`, name: `hook ${at}`, workspace_id: "w" },
    ...{ failing_since: "2026-11-24T01:00:00.000Z", last_error: at === 0 ? null : "status 503" },
  }));
  const destinations = { failing: { count: 6, first } };
  const notices = noticesOf({ status, list: { ...list, destinations }, workspaceName });
  assert.deepEqual([0, 1, 5].map((at) => `${notices[at]?.subject}${notices[at]?.text}`), [
    "hook 0 has not taken a receipt since 24 Nov 2026, 01:00 UTC: it failed. They wait.",
    "hook 1 has not taken a receipt since 24 Nov 2026, 01:00 UTC: status 503. They wait.",
    "1 more destination fails too.",
  ]);
  const [action] = notices.map((notice) => notice.action);
  assert.deepEqual(action, { label: "Open the destination", path: "/destinations", query: { open: "d0" } });
});

Deno.test("budgets, expiring keys and what went over limits need attention, and others are counted", () => {
  const budget = { workspace_id: "w", interval: "daily", limit: 80, limit_remaining: 0 } as const;
  const notices = noticesOf({
    status: { ...status, overrun: { usd: 0.5, receipts: 2, since: "2026-11-01" } },
    list: {
      ...list,
      keys: {
        reached: {
          count: 7,
          first: Array.from({ length: 5 }, (_, at) => key(`k${at}`, { limit: 1, left: 0 })),
        },
        nearly: none,
        expiring: one("soon", { expires: "2026-11-26T02:00:00.000Z" }),
      },
      budgets: { reached: { count: 1, first: [budget] }, nearly: none },
    },
    workspaceName,
  });
  const said = notices.map(({ tone, subject, text }) => `${tone} ${subject}${text}`);
  assert.deepEqual(said.slice(5), [
    "bad 2 more keys have reached their limits.",
    "bad The daily budget of Name of w has reached its limit of $80.00; its requests are refused.",
    "warn Requests went over their limits by $0.50 since the first receipt on 2026-11-01.",
    "warn soon expires in 2 d 0 h, at 26 Nov 2026, 02:00 UTC.",
  ]);
  assert.deepEqual(notices[5]?.action, { label: "Show all", path: "/keys", query: { state: "reached" } });
});

Deno.test("an endpoint that the next request tries needs no attention, and refused keys come before others", () => {
  const endpoint = (id: string, standing: GatewayStatus["endpoints"][number]["standing"]) => ({
    ...{ endpoint_id: id, provider: "x", provider_name: id, model: "m", standing, is_byok: false },
    ...{ rests_until: null, reason: "status 500", single_use_until: null, p50_ms: 1 },
    ...{ requests_5m: 3, failures_5m: 3 },
  });
  assert.deepEqual(noticesOfStatus({ endpoints: [endpoint("a", "probe")] }), []);
  const cooling = Array.from({ length: 6 }, (_, at) => endpoint(`c${at}`, "cooling_down"));
  const notices = noticesOfStatus({ endpoints: [...cooling, endpoint("refused", "misconfigured")] });
  assert.deepEqual(notices.map(({ subject }) => subject), [
    "refused · m",
    ...["c0", "c1", "c2", "c3"].map((id) => `${id} · m`),
    "2 more endpoints need attention",
  ]);
});

Deno.test("an endpoint whose connections are used once needs attention although it is well", () => {
  const endpoint: GatewayStatus["endpoints"][number] = {
    ...{ endpoint_id: "x|m|m", provider: "x", provider_name: "X", model: "m", standing: "well" },
    ...{ rests_until: null, reason: null, single_use_until: "2026-11-24T02:10:00.000Z", p50_ms: 1 },
    ...{ requests_5m: 3, failures_5m: 0, is_byok: false },
  };
  const [notice] = noticesOfStatus({ endpoints: [endpoint] });
  assert.deepEqual([notice?.tone, notice?.subject], ["warn", "X · m"]);
  assert.match(notice?.text ?? "", /bytes that belong to no request.* used once for 10 min more/);
});

Deno.test("a refused key is told as the gateway's or as a workspace's own", () => {
  const said = (is_byok: boolean) =>
    noticesOfStatus({
      endpoints: [{
        ...{ endpoint_id: "x|m|m", provider: "x", provider_name: "X", model: "m", standing: "misconfigured" },
        ...{ rests_until: now, reason: "status 401", single_use_until: null, p50_ms: null, is_byok },
        ...{ requests_5m: 3, failures_5m: 3 },
      }],
    }).map(({ tone, text }) => [tone, text]);
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
