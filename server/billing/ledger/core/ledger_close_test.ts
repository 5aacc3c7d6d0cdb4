/** A ledger ends within seconds, whatever does not answer; and what could not be written is there at the next start. */

import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { chaosStore, type Fault } from "../../../../tests/support/chaos_store.ts";
import { memoryClock, type SteppedClock, storeClock } from "../../../../tests/support/clock.ts";
import { closesOf } from "../../../../tests/support/journal.ts";
import { flatOrder, ledgerRuntime, oneRequest, openTransaction } from "../../../../tests/support/ledger.ts";
import { countFiles, RealWork } from "../../../../tests/support/real_work.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { withStoreDeadline } from "../../../storage/stores/store_deadline.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import type { Ledger, UnwrittenReceipts } from "./ledger.ts";
import { openLedger } from "./open_ledger.ts";
import { SPEND_ROWS } from "./counters/spend_counter.ts";

/** More than any end may take, ms. */
const END_MS = 8_500;
const STEP_MS = 50;

const billing = (key: string) => ({ scopes: [`key:${key}`, "account"], limits: [] });
const refused = { status: "refused" } as const;

interface OpenOptions {
  readonly clock: SteppedClock;
  readonly isShared?: boolean;
  readonly spool?: string;
  readonly rejectedPerMinute?: number;
}

function open(store: Store, { clock, isShared = false, spool, rejectedPerMinute = 60 }: OpenOptions) {
  return openLedger({
    store,
    runtime: ledgerRuntime(clock, isShared ? crypto.randomUUID() : "id"),
    projectionParts: [],
    isShared,
    spool,
    limits: { rejectedPerMinute },
  });
}

/** How long the work took by the clock, ms; it must end. */
async function lasted(work: Promise<unknown>, clock: SteppedClock): Promise<number> {
  let done = false;
  work.then(() => done = true, () => done = true);
  let ms = 0;
  for (; !done; ms += STEP_MS) {
    assert.ok(ms <= END_MS, `it does not end within ${END_MS} ms`);
    await clock.advance(STEP_MS);
  }
  return ms;
}

async function closed(ledger: Ledger, clock: SteppedClock): Promise<UnwrittenReceipts> {
  const closing = ledger.close();
  await lasted(closing, clock);
  return await closing;
}

/** A store that fails or hangs from some moment on, and works again. */
function breakable(clock: SteppedClock, inner: Store = memoryStore()) {
  const chaos = chaosStore(inner, { clock });
  return {
    inner,
    store: withStoreDeadline(chaos, { clock }),
    fail: () => chaos.follow(() => ({ type: "before" })),
    hang: () => chaos.follow(() => ({ type: "hang", happens: false })),
    heal: () => chaos.follow(() => undefined),
  };
}

const rowKey = (key: string) => [SPEND_ROWS, `key:${key}`, "own"];

const idsIn = async (store: Store) => (await closesOf(store)).map(({ receipt }) => receipt.id).toSorted();

const breaks = ["fail", "hang"] as const;
for (const how of breaks) {
  for (const isShared of [false, true]) {
    for (const rejectedPerMinute of [60, 0]) {
      const kind = `${isShared ? "shared" : "own"} store that ${how}s, ${rejectedPerMinute} a minute`;
      Deno.test(`Ledger.close ends with a refused request that nobody can count: ${kind}`, async () => {
        const spool = await Deno.makeTempDir();
        const work = new RealWork();
        using _ = countFiles(work);
        const clock = storeClock(work);
        const { store, inner, ...faults } = breakable(clock);
        const ledger = await open(store, { clock, isShared, spool, rejectedPerMinute });
        faults[how]();
        const { id, close } = openTransaction(ledger, { billing: billing("one") });
        const closing = close(refused);
        assert.deepEqual(await closed(ledger, clock), { spooled: 1, lost: 0 });
        await closing;
        assert.deepEqual(await idsIn(inner), []);
        faults.heal();
        const next = open(store, { clock, isShared, spool });
        await lasted(next, clock);
        assert.deepEqual(await idsIn(inner), [id]);
        assert.deepEqual(await closed(await next, clock), { spooled: 0, lost: 0 });
        assert.deepEqual([...Deno.readDirSync(spool)], []);
        await Deno.remove(spool);
      });
    }
  }
}

Deno.test("Ledger.close says what is lost where there is no spool", async () => {
  const clock = memoryClock();
  const { store, fail } = breakable(clock);
  const ledger = await open(store, { clock });
  fail();
  const closing = openTransaction(ledger, { billing: billing("one") }).close(refused);
  const ended = assert.rejects(closing, ApiError);
  assert.deepEqual(await closed(ledger, clock), { spooled: 0, lost: 1 });
  await ended;
  assert.equal(clock.open, 0);
});

Deno.test("a damaged row of spend holds up the receipts of its key only, and no end", async () => {
  const spool = await Deno.makeTempDir();
  const work = new RealWork();
  using _ = countFiles(work);
  const clock = storeClock(work);
  const store = memoryStore();
  const first = await open(store, { clock, spool });
  for (const key of ["bad", "good"]) {
    await oneRequest(first, { billing: billing(key), request: flatOrder(10), cost: 5 });
  }
  await closed(first, clock);
  const row = (await store.get(rowKey("bad")))?.value;
  await store.commit({ puts: [{ key: rowKey("bad"), value: "damaged" }] });

  const ledger = await open(store, { clock, spool });
  const bad = openTransaction(ledger, { billing: billing("bad") });
  let isWritten = false;
  const writing = bad.close(refused).then(() => isWritten = true);
  // Read in the same call as the damaged row, and written all the same.
  const good = openTransaction(ledger, { billing: billing("good") });
  await good.close(refused);
  assert.equal(isWritten, false);
  const flushing = assert.rejects(ledger.flush(), /current spend cannot be read/);
  const ms = await lasted(flushing, clock);
  await flushing;
  assert.ok(ms >= 1_500, `it gave up after ${ms} ms`);
  await writing;
  // Everybody else goes on.
  await oneRequest(ledger, { billing: billing("good"), request: flatOrder(10), cost: 5 });
  assert.deepEqual(await closed(ledger, clock), { spooled: 1, lost: 0 });
  assert.ok(!(await idsIn(store)).includes(bad.id));

  // A start names the row, and leaves the receipt where it is.
  const failing = open(store, { clock, spool });
  const refusal = assert.rejects(failing, (error) => error instanceof StoreError && error.kind === "corrupt");
  await lasted(refusal, clock);
  await refusal;

  await store.commit({ puts: [{ key: rowKey("bad"), value: row }] });
  const last = await open(store, { clock, spool });
  assert.ok((await idsIn(store)).includes(bad.id));
  assert.equal((await last.readSpend("key:bad")).lifetime.cost, 5);
  assert.deepEqual(await closed(last, clock), { spooled: 0, lost: 0 });
  await Deno.remove(spool, { recursive: true });
});

Deno.test("Ledger.flush goes on once a damaged row was restored", async () => {
  const clock = memoryClock();
  const store = memoryStore();
  await store.commit({ puts: [{ key: rowKey("one"), value: "damaged" }] });
  const ledger = await open(store, { clock });
  const { id, close } = openTransaction(ledger, { billing: billing("one") });
  const closing = close(refused);
  const flushing = ledger.flush();
  await clock.advance(1_000);
  await store.commit({ deletes: [rowKey("one")] });
  await lasted(flushing, clock);
  await flushing;
  await closing;
  assert.deepEqual(await idsIn(store), [id]);
  assert.deepEqual(await closed(ledger, clock), { spooled: 0, lost: 0 });
});

Deno.test("Ledger.caughtUp rejects where what it waits for is not committed in time", async () => {
  const clock = memoryClock();
  const { store, hang, heal } = breakable(clock);
  const ledger = await open(store, { clock, rejectedPerMinute: 0 });
  await oneRequest(ledger, { billing: billing("one"), request: flatOrder(10), cost: 5 });
  hang();
  void openTransaction(ledger, { billing: billing("one") }).close(refused);
  const waiting = assert.rejects(ledger.caughtUp(), ApiError);
  await lasted(waiting, clock);
  await waiting;
  heal();
  await clock.advance(3_000);
  assert.deepEqual(await closed(ledger, clock), { spooled: 0, lost: 0 });
});

/** Faults of a projection's commits from the moment on in which somebody reads → how the read ends. */
const projections:
  readonly (readonly [string, (nth: number) => Fault | undefined, "read" | "later" | "at once"])[] = [
    ["is late", () => ({ type: "delay", ms: 1_500 }), "read"],
    ["is never answered, once", (nth) => nth > 1 ? undefined : { type: "hang", happens: false }, "read"],
    [
      "happens without an answer, twice",
      (nth) => nth > 2 ? undefined : { type: "hang", happens: true },
      "read",
    ],
    ["is answered too late, twice", (nth) => nth > 2 ? undefined : { type: "delay", ms: 3_000 }, "read"],
    ["is never answered", () => ({ type: "hang", happens: false }), "later"],
    ["is refused", () => ({ type: "before" }), "at once"],
  ];
for (const [title, faultOf, end] of projections) {
  Deno.test(`Ledger.caughtUp reads or says that it cannot yet where a projection ${title}`, async () => {
    const clock = memoryClock();
    const chaos = chaosStore(memoryStore(), { clock });
    const ledger = await open(withStoreDeadline(chaos, { clock }), { clock });
    await oneRequest(ledger, { billing: billing("one"), request: flatOrder(10), cost: 5 });
    let nth = 0;
    chaos.follow(({ call }) => call === "commit" ? faultOf(++nth) : undefined);
    const reading = ledger.caughtUp().then(() => undefined, (error: unknown) => error);
    const ms = await lasted(reading, clock);
    const error = await reading;
    if (end === "read") assert.equal(error, undefined);
    else {
      assert.ok(error instanceof ApiError);
      assert.match(error.message, /^The latest receipts cannot be read yet, .* Try again in a moment\.$/);
      assert.deepEqual([error.kind, error.details.retryAfter], ["unavailable", 2]);
      assert.equal(ms > 5_000, end === "later");
    }
    chaos.follow(() => undefined);
    await lasted(ledger.caughtUp(), clock);
    assert.deepEqual(await closed(ledger, clock), { spooled: 0, lost: 0 });
  });
}

Deno.test("Ledger.close waits neither for a store that cannot be told that nobody listens, nor for a joining", async () => {
  const clock = memoryClock();
  const inner = memoryStore();
  let joinsHang = false;
  const never = () => new Promise<never>(() => {});
  const store: Store = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (prefix, options) => joinsHang ? never() : inner.list(prefix, options),
    commit: (commit) => inner.commit(commit),
    health: () => inner.health(),
    close: () => inner.close(),
    listen: () => Promise.resolve(never),
  };
  const deaf = await open(store, { clock, isShared: true });
  assert.deepEqual(await closed(deaf, clock), { spooled: 0, lost: 0 });

  const ledger = await open(store, { clock, isShared: true });
  const [entry] = await inner.list(["instances"]);
  assert.ok(entry);
  // Another instance takes over, and the way back is blocked.
  await inner.commit({ puts: [{ key: entry.key, value: { beat: 7, reaper: "other" } }] });
  joinsHang = true;
  await clock.advance(12_000);
  assert.deepEqual(await closed(ledger, clock), { spooled: 0, lost: 0 });
});
