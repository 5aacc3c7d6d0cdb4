/** The alerts of the last days, as managers read them. */

import assert from "node:assert/strict";
import type { Alert } from "../../shared/management/alerts.ts";
import { pause } from "../../shared/util/pause.ts";
import { createLogger } from "../../server/logger.ts";
import { createRuntime } from "../../server/runtime.ts";
import { AlertBook, KEPT_MS, MOST_LOGGED } from "../../server/management/alerts/alert_book.ts";
import { alertOperations } from "../../server/management/alerts/alert_operations.ts";
import { alertLog } from "../../server/management/alerts/alert_rows.ts";
import { AlertSender, GIVE_UP_MS, MOST_RETRY_MS } from "../../server/management/alerts/alert_sender.ts";
import { readAllRecords } from "../../server/management/core/pages.ts";
import type { OperationInput } from "../../server/management/core/operation.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { fakeClock } from "../support/clock.ts";

const never = new AbortController().signal;

const alertOf = (period: string): Alert => ({
  type: "credits",
  timestamp: "2026-11-21T12:00:00.000Z",
  data: { threshold: 50, interval: "lifetime", period, limit: 10, spent: 5 },
});

/** As much of an input as the operation looks at. */
const toInput = (query: object) => ({ query }) as OperationInput<never>;

function logRig() {
  const store = memoryStore();
  const clock = fakeClock(Date.parse("2026-11-21T12:00:00.000Z"));
  const log = createLogger({ format: "json", level: "error", now: clock.now, write: () => {} });
  const runtime = { ...createRuntime(log), clock };
  const book = new AlertBook({ store, pause, count: () => {} });
  const held = { status: 204 };
  const sent: string[] = [];
  const sender = new AlertSender({
    store,
    runtime,
    webhook: () => ({ url: "https://alerts.example", secret: undefined, format: "json" }),
    send: ({ post }) => {
      sent.push(String(post?.body));
      return Promise.resolve({ status: held.status });
    },
    count: () => {},
  });
  const operations = alertOperations({ store, runtime });
  const list = async (query: object = {}) => await operations["alerts.list"](toInput(query));
  const raise = (name: string) => book.raise({ alert: alertOf(name), about: [name] }, clock.now());
  return { store, clock, book, held, sent, sender, list, raise };
}

Deno.test("alerts are listed while they wait, when they have arrived or are lost, and for seven days", async () => {
  const { store, clock, book, held, sender, list, raise } = logRig();
  const listed = async () =>
    (await list()).data.map(({ alert, status, ended_at }) => [
      alert.type === "credits" && alert.data.period,
      status,
      ended_at === null ? null : Date.parse(ended_at),
    ]);
  await raise("a");
  assert.deepEqual(await listed(), [["a", "waiting", null]]);
  await sender.round(never);
  const arrived = clock.now();
  clock.leap(1_000);
  await raise("b");
  held.status = 500;
  await sender.round(never);
  assert.deepEqual(await listed(), [["b", "waiting", null], ["a", "sent", arrived]]);
  clock.leap(GIVE_UP_MS + MOST_RETRY_MS);
  await sender.round(never);
  assert.deepEqual(await listed(), [["b", "lost", clock.now()], ["a", "sent", arrived]]);
  const value = { alert: { type: "unheard_of" }, status: "waiting", ended_at: null };
  await store.commit({ puts: [{ key: ["alert_log", clock.now(), "newer"], value }] });
  assert.equal((await listed()).length, 2, "that of a newer version is left to it");
  clock.leap(KEPT_MS);
  assert.deepEqual(await listed(), [], "also before they are deleted");
  await book.tidy(clock.now() + 1);
  assert.deepEqual(await readAllRecords(alertLog(store)), []);
});

Deno.test("a listed alert is the body that was sent, its id beside it, in every page", async () => {
  const { sender, sent, list, raise } = logRig();
  for (const name of ["a", "b", "c"]) await raise(name);
  await sender.round(never);
  const whole = await list();
  const bodies = whole.data.map(({ id, alert }) => JSON.stringify({ id, ...alert }));
  assert.deepEqual(bodies.toSorted(), sent.toSorted());
  const pages: readonly (readonly [query: object, from: number, to: number])[] = [
    [{}, 0, 3],
    [{ limit: 2 }, 0, 2],
    [{ offset: 1 }, 1, 3],
    [{ offset: 1, limit: 1 }, 1, 2],
    [{ offset: 3 }, 3, 3],
  ];
  for (const [query, from, to] of pages) {
    assert.deepEqual(await list(query), { data: whole.data.slice(from, to), total_count: 3 });
  }
});

Deno.test("the log keeps the newest alerts, also where thousands are of one moment", async () => {
  const { store, clock, book, list, raise } = logRig();
  await raise("oldest");
  clock.leap(1);
  for (let at = 0; at < MOST_LOGGED; at++) await raise(String(at));
  await book.tidy(clock.now());
  const kept = await readAllRecords(alertLog(store));
  assert.equal(kept.length, MOST_LOGGED);
  assert.ok(!JSON.stringify(kept).includes("oldest"));
  const { data, total_count } = await list({ offset: MOST_LOGGED - 2, limit: 10 });
  assert.deepEqual([data.length, total_count], [2, MOST_LOGGED]);
  await book.tidy(clock.now() + 2 * KEPT_MS);
  assert.equal((await readAllRecords(alertLog(store))).length, 0);
});
