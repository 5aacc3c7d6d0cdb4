import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import type { EventFeed } from "../../../shared/management/operation.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { ReceiptListener } from "../../billing/ledger/core/receipt_followers.ts";
import { ReceiptFollowers } from "../../billing/ledger/core/receipt_followers.ts";
import { memoryClock } from "../../../tests/support/clock.ts";
import { KEY_B, receiptWith } from "../../../tests/support/receipts.ts";
import type { ReceiptFilter } from "./receipt_filter.ts";
import { MAX_TAIL_READERS, MAX_TAIL_RECEIPTS, ReceiptTail } from "./receipt_tail.ts";

const all: ReceiptFilter = { filters: {} };

function rig() {
  const clock = memoryClock();
  const followers = new ReceiptFollowers();
  let followed = 0;
  const follow = (listener: ReceiptListener) => {
    followed++;
    const end = followers.add(listener);
    return () => {
      followed--;
      end();
    };
  };
  const tail = new ReceiptTail({ ledger: { followAll: follow }, clock });
  const write = (...receipts: readonly Receipt[]) => followers.tell(receipts);
  return { clock, tail, write, followed: () => followed };
}

const many = (count: number) => Array.from({ length: count }, () => receiptWith());

/** The receipts' ids, and the count of each that were left out. */
async function read(feed: EventFeed) {
  const events = await feed.next() ?? [];
  return events.map(({ event, data }) => event === "receipt" ? JSON.parse(data).id : JSON.parse(data).count);
}

const ids = (receipts: readonly Receipt[]) => receipts.map(({ id }) => id);

Deno.test("ReceiptTail tells of each receipt that passes the filter, in its order, in USD", async () => {
  const { tail, write } = rig();
  const feed = tail.open({ ...all, filters: { key: KEY_B }, test: ({ user }) => user === "ann" });
  const wanted = receiptWith({ key_hash: KEY_B, user: "ann", cost: 2_500 });
  write(receiptWith({ user: "ann" }), wanted, receiptWith({ key_hash: KEY_B, user: "bob" }));
  const [only, ...others] = await feed.next() ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual([JSON.parse(only?.data ?? "").id, JSON.parse(only?.data ?? "").cost], [
    wanted.id,
    0.0000025,
  ]);
  const range = tail.open({ ...all, until: Date.parse(wanted.ended_at) });
  write(receiptWith({ at: Date.parse(wanted.created_at) - 1 }), wanted);
  assert.equal((await read(range)).length, 1);
  tail.close();
});

Deno.test("ReceiptTail tells of so many a second, and at its end how many it left out", async () => {
  const { clock, tail, write } = rig();
  const feed = tail.open(all);
  const first = many(MAX_TAIL_RECEIPTS + 30);
  write(...first);
  assert.deepEqual(await read(feed), ids(first.slice(0, MAX_TAIL_RECEIPTS)));
  const next = read(feed);
  await clock.advance(600);
  write(...many(5));
  await clock.advance(399);
  assert.equal(clock.open, 1);
  await clock.advance(1);
  assert.deepEqual(await next, [35]);
  const [later] = many(1);
  assert(later !== undefined);
  write(later);
  assert.deepEqual(await read(feed), [later.id]);
  assert.equal(clock.open, 0);
  feed.close();
});

Deno.test("ReceiptTail holds a second's receipts for who reads nothing, and counts the others", async () => {
  const { clock, tail, write } = rig();
  const [slow, quick] = [tail.open(all), tail.open(all)];
  let told = 0;
  const first = many(MAX_TAIL_RECEIPTS);
  write(...first);
  told += (await read(quick)).length;
  for (let second = 0; second < 100; second++) {
    await clock.advance(1_000);
    write(...many(20));
    told += (await read(quick)).length;
  }
  assert.equal(told, MAX_TAIL_RECEIPTS + 100 * 20);
  await clock.advance(1_000);
  assert.deepEqual(await read(slow), [...ids(first), 100 * 20]);
  tail.close();
});

Deno.test("ReceiptTail lets 20 read, refuses the next, and lets another in when one has left", async () => {
  const { clock, tail, write, followed } = rig();
  assert.equal(followed(), 0);
  const feeds = Array.from({ length: MAX_TAIL_READERS }, () => tail.open(all));
  assert.deepEqual([tail.readers, followed()], [MAX_TAIL_READERS, 1]);
  assert.throws(() => tail.open(all), ({ status, message }: ApiError) => {
    assert.equal(status, 429);
    return /20 readers follow them already/.test(message);
  });
  const [first] = feeds;
  const waiting = first?.next();
  first?.close();
  first?.close();
  assert.equal(await waiting, undefined);
  assert.equal(tail.readers, MAX_TAIL_READERS - 1);
  tail.open(all);
  write(...many(MAX_TAIL_RECEIPTS + 1));
  assert.equal(clock.open, MAX_TAIL_READERS);
  tail.close();
  assert.deepEqual([tail.readers, followed(), clock.open], [0, 0, 0]);
  assert.throws(() => tail.open(all), ({ status }: ApiError) => status === 503);
  assert.equal(await feeds[1]?.next(), undefined);
});
