/** Alerts: each once, over several instances and a restart, and how they reach a receiver. */

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { type Alert, alertSchema } from "../../shared/management/alerts.ts";
import { pause } from "../../shared/util/pause.ts";
import { toNanoUsd } from "../../shared/money.ts";
import { createProjectionParts } from "../../server/billing/ledger/projection/projection_parts.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import type { Ledger } from "../../server/billing/ledger/core/ledger.ts";
import { createLogger } from "../../server/logger.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import { AlertBook } from "../../server/management/alerts/alert_book.ts";
import {
  AlertSender,
  FIRST_RETRY_MS,
  GIVE_UP_MS,
  MOST_RETRY_MS,
} from "../../server/management/alerts/alert_sender.ts";
import { ANSWER_MS } from "../../server/management/delivery/post_message.ts";
import { alertCollection, alertQueue } from "../../server/management/alerts/alert_rows.ts";
import { type AlertSource, AlertWatch } from "../../server/management/alerts/alert_watch.ts";
import {
  DOWN_MS,
  endpointAlerts,
  OLD_PRICE_DAYS,
  overrunAlerts,
  priceAlerts,
  retirementAlerts,
  SLOW_FOR_MS,
  storeAlerts,
} from "../../server/management/alerts/gateway_alerts.ts";
import { limitAlerts } from "../../server/management/alerts/limit_alerts.ts";
import { webhookBody } from "../../server/management/alerts/webhook_body.ts";
import { upcomingRetirements } from "../../server/providers/catalog/retirements.ts";
import { readAllRecords } from "../../server/management/core/pages.ts";
import { type KeyRow, keyScope } from "../../server/management/keys/key_rows.ts";
import { connect } from "../../server/providers/upstream/connections/connect.ts";
import { noProxies } from "../../server/providers/upstream/proxy_rules.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store, StoreKey } from "../../server/storage/stores/store.ts";
import { createGuardedFetch } from "../../server/web/fetch/guarded_fetch.ts";
import { systemResolver } from "../../server/web/fetch/resolver.ts";
import { adminRig } from "../support/admin.ts";
import { startExample } from "../support/example_service.ts";
import { fakeClock } from "../support/clock.ts";
import { httpStub } from "../support/http_stub.ts";
import { billingOf, flatOrder, limitOf, oneRequest } from "../support/ledger.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { wrappedStore } from "../support/wrapped_store.ts";
import { until } from "../support/until.ts";

const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
const never = new AbortController().signal;

/** A log whose lines are kept. */
function keptLog(lines: string[]) {
  return createLogger({ format: "json", level: "debug", now: Date.now, write: (line) => lines.push(line) });
}

const bookOf = (store: Store) => new AlertBook({ store, pause, count: () => {} });

const watchOf = (deps: { readonly store: Store; readonly ledger: Ledger; readonly runtime: Runtime }) =>
  new AlertWatch({
    ...deps,
    pause,
    book: bookOf(deps.store),
    sources: [limitAlerts({ ...deps, pause })],
    isOn: () => true,
  });

interface Message {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver that answers as a test says, and a gateway's sender to it, in a time that the test moves. */
function senderRig(store: Store, more: { readonly format?: "json" | "slack"; readonly path?: string } = {}) {
  const { format = "json", path = "/hook" } = more;
  const messages: Message[] = [];
  const held: { answer: (message: Message) => Response | Promise<Response> } = {
    answer: () => new Response(null, { status: 204 }),
  };
  const stub = httpStub(async (request) => {
    const headers = Object.fromEntries(request.headers);
    const message = { id: headers["webhook-id"] ?? "", headers, body: await request.text() };
    messages.push(message);
    return await held.answer(message);
  });
  const lines: string[] = [];
  const counts = new Map<string, number>();
  const clock = fakeClock(Date.now() + 60_000);
  const policy = { allowHttp: false, allowedHosts: [new URL(stub.url).host] };
  const sender = () =>
    new AlertSender({
      store,
      runtime: { clock, log: keptLog(lines) },
      webhook: () => ({ url: stub.url + path, secret: SECRET, format }),
      send: createGuardedFetch({ clock, policy, connect, resolve: systemResolver, findProxy: noProxies }),
      count: (_kind, outcome) => counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    });
  return { stub, messages, held, clock, counts, lines, sender };
}

const alertOf = (name: string): Alert => ({
  type: "credits",
  timestamp: "2026-11-21T12:00:00.000Z",
  data: { threshold: 50, interval: "lifetime", period: name, limit: 10, spent: 5 },
});

/** Raises so many alerts that nobody else has. */
async function raised(store: Store, names: readonly string[]): Promise<void> {
  const book = bookOf(store);
  for (const name of names) await book.raise({ alert: alertOf(name), about: [name] }, Date.now());
}

const queued = async (store: Store) => (await readAllRecords(alertQueue(store))).length;

Deno.test("an alert is raised and sent once over three instances and a restart", async () => {
  const { store, addKey } = await adminRig();
  const runtime = { ...createRuntime(keptLog([])), clock: tickingClock() };
  const key = await addKey({ name: "Team", limit: toNanoUsd(1_000), limit_reset: null });
  const open = () => openLedger({ store, runtime, projectionParts: [], isShared: true });
  const ledgers = [await open(), await open(), await open()];
  const spend = (ledger: Ledger, cost: number) =>
    oneRequest(ledger, { ...paidBy(key, 1_000), at: runtime.clock.now(), request: flatOrder(cost), cost });
  for (const ledger of ledgers) assert.equal(await spend(ledger, 300), "served");
  const watches = ledgers.map((ledger) => watchOf({ store, ledger, runtime }));
  await Promise.all(watches.map((watch) => watch.look(never)));
  const thresholds = async () =>
    (await readAllRecords(alertCollection(store))).flatMap(({ alert }) =>
      alert?.type === "key_limit" ? [alert.data.threshold] : []
    ).sort((a, b) => a - b);
  assert.deepEqual(await thresholds(), [50, 80]);
  const [first] = ledgers;
  assert.ok(first);
  assert.equal(await spend(first, 100), "served");
  await Promise.all(watches.map((watch) => watch.look(never)));
  await first.close();
  const again = await open();
  await watchOf({ store, ledger: again, runtime }).look(never);
  assert.deepEqual(await thresholds(), [50, 80, 100]);
  const { stub, messages, clock, sender } = senderRig(store);
  await using _stub = stub;
  await Promise.all([sender(), sender(), sender()].map((one) => one.round(never)));
  assert.deepEqual([messages.length, await queued(store), clock.open], [3, 0, 0]);
  const verified = messages.map(({ body, headers }) =>
    alertSchema.parse(new Webhook(SECRET).verify(body, headers))
  );
  const [told] = verified.flatMap((alert) =>
    alert.type === "key_limit" && alert.data.threshold === 80 ? [alert.data] : []
  );
  assert.deepEqual([told?.key_hash, told?.key_name, told?.limit, told?.spent, told?.period], [
    key.hash,
    "Team",
    0.000001,
    0.0000009,
    "lifetime",
  ]);
  assert.equal(new Set(messages.map(({ id }) => id)).size, 3);
  for (const ledger of [again, ...ledgers.slice(1)]) await ledger.close();
  await until(() => runtime.clock.open === 0, { what: "that no deadline is open" });
});

/** The billing context of a key under its limit. */
const paidBy = (key: KeyRow, limit: number) => ({
  billing: {
    scopes: [keyScope(key), "account"],
    limits: [limitOf(limit, { scope: keyScope(key) })],
  },
});

Deno.test("an alert that does not arrive is tried again under its id, until a day is over", async () => {
  const store = memoryStore();
  const { stub, messages, held, clock, counts, lines, sender } = senderRig(store);
  await using _stub = stub;
  const one = sender();
  await raised(store, ["a"]);
  held.answer = () => new Response(null, { status: 503 });
  await one.round(never);
  await one.round(never);
  assert.equal(messages.length, 1, "not before its time");
  held.answer = () =>
    new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest" } });
  clock.leap(FIRST_RETRY_MS);
  await one.round(never);
  held.answer = () => new Response(null, { status: 200 });
  clock.leap(2 * FIRST_RETRY_MS);
  await one.round(never);
  assert.deepEqual([messages.length, await queued(store), new Set(messages.map(({ id }) => id)).size], [
    3,
    0,
    1,
  ]);
  assert.deepEqual(Object.fromEntries(counts), { failed: 2, sent: 1 });
  await raised(store, ["b"]);
  held.answer = () => new Response(null, { status: 500 });
  for (let at = 0; at <= GIVE_UP_MS; at += MOST_RETRY_MS) {
    await one.round(never);
    clock.leap(MOST_RETRY_MS);
  }
  await one.round(never);
  assert.deepEqual([counts.get("lost"), await queued(store)], [1, 0]);
  assert.ok(lines.some((line) => line.includes("Alert is lost")));
  assert.ok(lines.every((line) => !line.includes("whsec_") && !line.includes("/hook")), "no secret");
});

Deno.test("a receiver that never answers is left alone after three alerts, and one that is back gets all", async () => {
  const store = memoryStore();
  const { stub, messages, held, clock, counts, sender } = senderRig(store);
  await using _stub = stub;
  await raised(store, ["a", "b", "c", "d", "e"]);
  const { promise: silence, resolve: end } = Promise.withResolvers<Response>();
  held.answer = () => silence;
  const round = sender().round(never);
  for (let at = 1; at <= 3; at++) await clock.advanceOnce(() => messages.length === at, ANSWER_MS);
  assert.equal(await round, false);
  assert.deepEqual([messages.length, counts.get("failed"), clock.open], [3, 3, 0]);
  end(new Response(null));
  held.answer = () => new Response(null);
  clock.leap(MOST_RETRY_MS);
  // An instance that has died between a claim and its answer leaves the rest to any other.
  await sender().round(never);
  assert.deepEqual([messages.length, await queued(store)], [8, 0]);
  assert.equal(new Set(messages.map(({ id }) => id)).size, 5);
});

Deno.test("an alert of a kind that a version does not have holds up no other, and goes after a day", async () => {
  const store = memoryStore();
  const { stub, messages, clock, sender } = senderRig(store);
  await using _stub = stub;
  await raised(store, ["newer", "b"]);
  const [{ id } = { id: "" }] = await readAllRecords(alertQueue(store));
  const value = { alert: { type: "unheard_of" }, at: 0, ends_at: null };
  await store.commit({ puts: [{ key: ["alerts", id], value }] });
  await sender().round(never);
  assert.deepEqual([messages.length, await queued(store)], [1, 1]);
  clock.leap(GIVE_UP_MS);
  await sender().round(never);
  assert.deepEqual([messages.length, await queued(store)], [1, 0]);
});

Deno.test("a stop ends the attempt under way, and the alert stays", async () => {
  const store = memoryStore();
  const { stub, messages, held, clock, sender } = senderRig(store);
  await using _stub = stub;
  await raised(store, ["a"]);
  const { promise: silence, resolve: end } = Promise.withResolvers<Response>();
  held.answer = () => silence;
  const stop = new AbortController();
  const round = sender().round(stop.signal);
  await until(() => messages.length === 1, { what: "the attempt" });
  stop.abort(new Error("stopped"));
  await assert.rejects(round, /stopped/);
  end(new Response(null));
  assert.deepEqual([await queued(store), clock.open], [1, 0]);
});

Deno.test("the receiver of the documents takes what was signed, once, and nothing else", async () => {
  const store = memoryStore();
  await using receiver = await startExample({ file: "alert_receiver.py", env: { ALERT_SECRET: SECRET } });
  const { stub, messages, held, sender } = senderRig(store);
  await using _stub = stub;
  const forward = async ({ headers, body }: Message, secret = headers["webhook-signature"] ?? "") => {
    const own = Object.entries(headers).filter(([name]) => name.startsWith("webhook-"));
    const sent = { ...Object.fromEntries(own), "webhook-signature": secret };
    const url = `http://127.0.0.1:${receiver.port}/`;
    const response = await fetch(url, { method: "POST", headers: sent, body });
    return `${response.status} ${await response.text()}`;
  };
  held.answer = () => new Response(null);
  await raised(store, ["a"]);
  await sender().round(never);
  const [message] = messages;
  assert.ok(message);
  assert.equal(await forward(message, "v1,bm90aGluZw=="), "401 ");
  assert.equal(await forward({ ...message, body: message.body.replace("50", "80") }), "401 ");
  assert.equal(await forward(message), "200 new");
  assert.equal(await forward(message), "200 known");
});

Deno.test("the form of Slack has no markup of a name", async () => {
  const store = memoryStore();
  const { stub, messages, sender } = senderRig(store, { format: "slack" });
  await using _stub = stub;
  const name = "<!channel> *a*\n\u2028<https://evil.example|here> & \u202e" + "x".repeat(500);
  const data = { key_hash: "ab".repeat(32), key_name: name, workspace_id: "w" };
  const alert: Alert = {
    type: "key_expiring",
    timestamp: "2026-11-21T12:00:00.000Z",
    data: { ...data, expires_at: "2026-11-25T12:00:00.000Z" },
  };
  await bookOf(store).raise({ alert, about: ["k"] }, Date.now());
  await sender().round(never);
  const { text, mrkdwn } = JSON.parse(messages[0]?.body ?? "{}");
  assert.match(
    text,
    /^Key "&lt;!channel&gt; \*a\* &lt;https:\u200b\/\/evil\.example\|here&gt; &amp; x+…" \(abababab\) expires at /,
  );
  assert.equal(mrkdwn, false);
  assert.ok(text.length < 250);
});

Deno.test("alerts of a limit name its period, a period is told of anew, and a limit of 0 never", async () => {
  const { store, addKey, call, clock, deps } = await adminRig();
  const spent = new Map<string, number>();
  const at = (scope: string) => ({ cost: toNanoUsd(spent.get(scope) ?? 0), byok: toNanoUsd(0) });
  const readSpend = (scope: string) =>
    Promise.resolve({ daily: at(scope), weekly: at(scope), monthly: at(scope), lifetime: at(scope) });
  const ledger = { ...deps.ledger, readSpend };
  const book = bookOf(store);
  const watch = new AlertWatch({
    ...deps,
    book,
    sources: [limitAlerts({ ...deps, ledger })],
    isOn: () => true,
  });
  const daily = await addKey({ name: "daily", limit: toNanoUsd(10_000_000_000), limit_reset: "daily" });
  await addKey({ name: "closed", limit: toNanoUsd(0) });
  await call("budgets.set", { params: { id: "default", interval: "weekly" }, body: { limit_usd: 3 } });
  await call("credits.add", { body: { amount_usd: 100, reason: "paid" } });
  spent.set(keyScope(daily), 7_999_999_999);
  spent.set(`workspace:${daily.workspace_id}`, 3_000_000_000);
  spent.set("account", 50_000_000_000);
  const told = async () =>
    (await readAllRecords(alertCollection(store))).map(({ alert }) =>
      alert === undefined || !("threshold" in alert.data)
        ? "nothing"
        : `${alert.type} ${alert.data.threshold} ${alert.data.period}`
    ).sort();
  await watch.look(never);
  const first = [
    "credits 50 lifetime",
    "key_limit 50 2026-01-14",
    ...[100, 50, 80].map((threshold) => `workspace_budget ${threshold} 2026-W03`),
  ];
  assert.deepEqual(await told(), first);
  clock.leap(86_400_000);
  await watch.look(never);
  assert.deepEqual(await told(), [...first, "key_limit 50 2026-01-15"].sort());
  await call("credits.add", { body: { amount_usd: -10, reason: "taken back" } });
  clock.leap(60_000);
  await watch.look(never);
  assert.equal((await told()).filter((one) => one === "credits 50 lifetime").length, 2, "another limit");
  clock.leap(30 * 86_400_000);
  spent.clear();
  await watch.look(never);
  assert.deepEqual(await told(), ["nothing", "nothing"], "names go, and what lasts is not told again");
});

Deno.test("limits by the thousand that are crossed at once are raised once, and then looked up no more", async () => {
  const { store, addKey, deps } = await adminRig();
  const KEYS = 300;
  for (let at = 0; at < KEYS; at++) await addKey({ limit: toNanoUsd(1_000), limit_reset: "daily" });
  const all = { cost: toNanoUsd(1_000), byok: toNanoUsd(0) };
  const spend = { daily: all, weekly: all, monthly: all, lifetime: all };
  const ledger = { ...deps.ledger, readSpend: () => Promise.resolve(spend) };
  let reads = 0;
  const counted = {
    ...wrappedStore(store, (call) => call()),
    get: (key: StoreKey) => (reads++, store.get(key)),
  };
  const source = limitAlerts({ ...deps, ledger });
  const watch = new AlertWatch({
    ...deps,
    pause,
    book: bookOf(counted),
    sources: [source],
    isOn: () => true,
  });
  await watch.look(never);
  assert.deepEqual([await queued(store), reads], [3 * KEYS, 3 * KEYS]);
  await watch.look(never);
  assert.deepEqual([await queued(store), reads], [3 * KEYS, 3 * KEYS]);
});

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);

interface AlertCase {
  readonly source: () => Promise<AlertSource>;
  /** Ms from noon on at which it is asked, and how many alerts it has then. */
  readonly looks: readonly (readonly [ms: number, alerts: number])[];
  readonly text: RegExp;
}

const bad = {
  endpointId: "acme|m",
  provider: "acme",
  model: "acme/m",
  reason: "status 503: unavailable",
} as const;

const spentOver = async () => {
  const { store } = await adminRig();
  const runtime = { ...createRuntime(keptLog([])), clock: tickingClock() };
  const projectionParts = createProjectionParts(runtime);
  const ledger = await openLedger({ store, runtime, projectionParts, isShared: false });
  await oneRequest(ledger, {
    billing: billingOf(limitOf(1_000)),
    at: NOON - DAY_MS,
    request: flatOrder(10),
    cost: 250,
  });
  await ledger.caughtUp();
  await ledger.close();
  return overrunAlerts({ store });
};

/** A store whose writes take so long by a clock that stands still otherwise. */
function slowStore(answers: readonly number[]): AlertSource {
  const { clock, ...store } = { ...memoryStore(), clock: fakeClock() };
  const left = [...answers];
  const health = () => {
    clock.leap(left.shift() ?? 0);
    return Promise.resolve({ ok: true } as const);
  };
  return storeAlerts({ store: { ...store, health }, runtime: { ...createRuntime(keptLog([])), clock } });
}

const cases: { readonly [name: string]: AlertCase } = {
  "an endpoint that is down for 10 minutes": {
    source: () =>
      Promise.resolve(endpointAlerts(() => [{ ...bad, standing: "cooling_down", isByok: false }])),
    looks: [[0, 0], [DOWN_MS - 1, 0], [DOWN_MS, 1], [DAY_MS, 1]],
    text:
      /^"acme\/m" at "acme" has been down since 2026-01-15T12:00:00\.000Z \("status 503: unavailable"\)\.$/,
  },
  "an overrun": {
    source: spentOver,
    looks: [[0, 1], [1_000, 0], [DAY_MS + 1_000, 0]],
    text: /^Requests of 2026-01-14 cost 0\.00000024 USD beyond limits\.$/,
  },
  "a store that is slow for 5 minutes": {
    source: () => Promise.resolve(slowStore([600, 100, 501, 700, 800, 10])),
    looks: [[0, 0], [SLOW_FOR_MS, 0], [SLOW_FOR_MS + 1, 0], [2 * SLOW_FOR_MS, 0], [2 * SLOW_FOR_MS + 1, 1], [
      3 * SLOW_FOR_MS,
      0,
    ]],
    text: /^The store has been slow or away since 2026-01-15T12:05:00\.001Z\.$/,
  },
  "prices that are older than 30 days": {
    source: () => {
      const source = { name: "litellm 1", date: "2025-12-16" };
      const days = (now: number) => Math.floor((now - Date.parse(source.date)) / DAY_MS);
      return Promise.resolve(priceAlerts((now) => [{ source, days: days(now), endpoints: 4 }]));
    },
    looks: [[0, 0], [DAY_MS, 1]],
    text: new RegExp(`^Prices of "litellm 1" are ${OLD_PRICE_DAYS + 1} days old\\.$`),
  },
  "a model that ends soon": {
    source: () => {
      const facts = { provider: "acme", model: "acme/m", date: "2026-01-24", successor: null };
      return Promise.resolve(retirementAlerts(() => Promise.resolve([facts])));
    },
    looks: [[0, 1], [9 * DAY_MS, 1], [10 * DAY_MS, 0]],
    text: /^"acme\/m" at "acme" ends on 2026-01-24\.$/,
  },
};

for (const [name, { source, looks, text }] of Object.entries(cases)) {
  Deno.test(`there is an alert of ${name}`, async () => {
    const find = await source();
    const all: Alert[] = [];
    for (const [ms, wanted] of looks) {
      const found = await Array.fromAsync(find(NOON + ms));
      assert.equal(found.length, wanted, `after ${ms} ms`);
      all.push(...found.map(({ alert }) => alertSchema.parse(alert)));
    }
    const [alert] = all;
    assert.ok(alert);
    assert.match(JSON.parse(webhookBody("slack", { id: "a", alerts: [alert] })).text, text);
  });
}

/** As much of an endpoint as is asked for. */
const toEndpoint = (facts: unknown) => facts as Parameters<typeof upcomingRetirements>[0][number];

Deno.test("ends of models are those of the data that ships", async () => {
  const path = new URL("../../server/providers/catalog/retirements.json", import.meta.url);
  const { providers } = JSON.parse(await Deno.readTextFile(path));
  const [name = ""] = Object.keys(providers.anthropic);
  const { date } = providers.anthropic[name];
  const endpoint = { provider: { id: "anthropic" }, model: { id: "anthropic/m" }, upstreamModel: name };
  const [end] = await upcomingRetirements([toEndpoint(endpoint)], Date.parse(date) - DAY_MS);
  assert.deepEqual([end?.provider, end?.model, end?.date], ["anthropic", "anthropic/m", date]);
});
