/** Alerts that are due together: one message in the form of Slack, one each as data. */

import assert from "node:assert/strict";
import type { Alert, AlertFormat } from "../../shared/management/alerts.ts";
import { pause } from "../../shared/util/pause.ts";
import { createLogger } from "../../server/logger.ts";
import { AlertBook } from "../../server/management/alerts/alert_book.ts";
import { alertLog, alertQueue } from "../../server/management/alerts/alert_rows.ts";
import {
  AlertSender,
  BATCH,
  FIRST_RETRY_MS,
  MOST_RETRY_MS,
} from "../../server/management/alerts/alert_sender.ts";
import { readAllRecords } from "../../server/management/core/pages.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { memoryClock } from "../support/clock.ts";

interface Message {
  readonly id: string;
  /** Subjects of its alerts. */
  readonly names: readonly string[];
}

const never = new AbortController().signal;

/** Alerts are told apart by the name of a key, which stands in both forms. */
const alertOf = (key_name: string): Alert => ({
  type: "key_expiring",
  timestamp: "2026-11-21T12:00:00.000Z",
  data: { key_hash: "ab".repeat(32), key_name, workspace_id: "w", expires_at: "2026-11-25T12:00:00.000Z" },
});

function rig(format: AlertFormat) {
  const [store, clock] = [memoryStore(), memoryClock()];
  const messages: Message[] = [];
  const held = { status: 204, format };
  const counts = new Map<string, number>();
  const log = createLogger({ format: "json", level: "error", now: clock.now, write: () => {} });
  const book = new AlertBook({ store, pause, count: () => {} });
  const sender = () =>
    new AlertSender({
      store,
      runtime: { clock, log },
      webhook: () => ({ url: "https://alerts.example/", secret: undefined, format: held.format }),
      send: ({ post }) => {
        const names = [...String(post?.body).matchAll(/key-\d+/g)].map(([name]) => name);
        messages.push({ id: post?.headers["webhook-id"] ?? "", names });
        return Promise.resolve({ status: held.status });
      },
      count: (_kind, outcome) => counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    });
  let raised = 0;
  return {
    clock,
    messages,
    held,
    counts,
    sender,
    /** Raises so many at one moment. */
    raise: async (count: number) => {
      const names = Array.from({ length: count }, () => `key-${raised++}`);
      for (const name of names) await book.raise({ alert: alertOf(name), about: [name] }, clock.now());
      return names;
    },
    /** Sends until nothing is due. */
    settle: async () => {
      for (const one = sender(); await one.round(never););
    },
    logged: async () => (await readAllRecords(alertLog(store))).map(({ status }) => status),
    queued: async () => (await readAllRecords(alertQueue(store))).length,
  };
}

const namesIn = (messages: readonly Message[]) => messages.flatMap(({ names }) => names).sort();
const sizesOf = (messages: readonly Message[]) => messages.map(({ names }) => names.length);

/** Numbers of alerts at one moment, and how many each message has. */
const cases: readonly (readonly [AlertFormat, number, readonly number[]])[] = [
  ["slack", 1, [1]],
  ["slack", 2, [2]],
  ["slack", 200, [BATCH, BATCH, BATCH, BATCH]],
  ["slack", BATCH + 1, [BATCH, 1]],
  ["json", 3, [1, 1, 1]],
];

Deno.test("alerts of one moment are few messages in the form of Slack, and one each as data", async () => {
  for (const [format, count, sizes] of cases) {
    const { raise, settle, messages, counts, logged, queued } = rig(format);
    const names = await raise(count);
    await settle();
    assert.deepEqual(
      [sizesOf(messages), namesIn(messages)],
      [sizes, names.toSorted()],
      `${format}, ${count}`,
    );
    assert.equal(new Set(messages.map(({ id }) => id)).size, sizes.length);
    assert.deepEqual([counts.get("sent"), await queued()], [count, 0]);
    assert.deepEqual(new Set(await logged()), new Set(["sent"]));
  }
});

Deno.test("a message of several alerts that does not arrive is sent again as it was, beside what came meanwhile", async () => {
  const { raise, settle, messages, held, clock, counts } = rig("slack");
  const first = await raise(3);
  held.status = 503;
  await settle();
  const later = await raise(2);
  await settle();
  held.status = 204;
  clock.leap(2 * FIRST_RETRY_MS);
  const last = await raise(1);
  await settle();
  const [one, two, ...again] = messages;
  assert.ok(one && two);
  assert.deepEqual([one, two].map(({ names }) => names.toSorted()), [first.toSorted(), later.toSorted()]);
  assert.deepEqual(again.find(({ id }) => id === one.id), one);
  assert.deepEqual(again.find(({ id }) => id === two.id), two);
  assert.deepEqual(again.filter(({ id }) => id !== one.id && id !== two.id).map(({ names }) => names), [
    last,
  ]);
  assert.deepEqual([counts.get("failed"), counts.get("sent")], [5, 6]);
});

Deno.test("one alone keeps its id when others come, and each is told once over three instances", async () => {
  const { raise, settle, messages, held, clock, sender, queued } = rig("slack");
  held.status = 503;
  await raise(1);
  await settle();
  held.status = 204;
  clock.leap(MOST_RETRY_MS);
  const many = await raise(30);
  await Promise.all([sender(), sender(), sender()].map((one) => one.round(never)));
  await settle();
  const [failed, ...sent] = messages;
  assert.deepEqual(sent.filter(({ id }) => id === failed?.id), [failed]);
  assert.deepEqual(namesIn(sent), ["key-0", ...many].sort());
  assert.equal(await queued(), 0);
});

Deno.test("alerts that were to be one message are one each when the form is changed to data", async () => {
  const { raise, settle, messages, held, clock } = rig("slack");
  const names = await raise(3);
  held.status = 503;
  await settle();
  [held.status, held.format] = [204, "json"];
  clock.leap(FIRST_RETRY_MS);
  await settle();
  const sent = messages.slice(1);
  assert.deepEqual([sizesOf(sent), namesIn(sent)], [[1, 1, 1], names.toSorted()]);
  assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
});
