import assert from "node:assert/strict";
import { memoryClock, type SteppedClock } from "../../../tests/support/clock.ts";
import { noRateLimits, type RateLimits } from "../../../shared/rate_limits.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import { RateLimiter } from "./rate_limiter.ts";
import { RateLimitQuotas } from "./rate_limit_quotas.ts";
import { INSTANCE_GONE_MS } from "./instance_liveness.ts";

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let instances = 0;

function instance({ store, clock }: { readonly store: Store; readonly clock: SteppedClock }) {
  const name = `instance-${++instances}`;
  const quotas = new RateLimitQuotas({ store, runtime: { clock, id: () => name, log: quiet } });
  const limiter = new RateLimiter({ clock, quotas });
  const enter = async (limits: Partial<RateLimits>, ask: { tokens?: number; streamed?: boolean } = {}) => {
    const limited = [{ type: "key", scope: "key:a", limits: { ...noRateLimits, ...limits } } as const];
    return await limiter.tryStart(limited, { tokens: 1, streamed: false, ...ask });
  };
  /** How many of so many requests may start; they end at once. */
  const started = async (count: number, limits: Partial<RateLimits>): Promise<number> => {
    let passes = 0;
    for (let index = 0; index < count; index++) {
      const admission = await enter(limits);
      if (admission.type !== "pass") continue;
      admission.end(1);
      passes++;
    }
    return passes;
  };
  return { quotas, enter, started };
}

/** Counts what the store is asked. */
function counted(store: Store) {
  const requested = { reads: 0, writes: 0 };
  const wrapped: Store = {
    ...store,
    get: (key) => (requested.reads++, store.get(key)),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => (requested.writes++, store.commit(commit)),
    health: () => store.health(),
    close: () => store.close(),
  };
  return { store: wrapped, requested };
}

Deno.test("RateLimitQuotas gives one process the whole limit at its first request", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const one = instance({ store, clock });
  assert.equal(await one.started(20, { requests_per_minute: 10 }), 10);
  await one.quotas.close();
  assert.equal(clock.open, 0);
});

Deno.test("RateLimitQuotas moves with the demand, and lets no more pass than the limit and one each", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const [one, two] = [instance({ store, clock }), instance({ store, clock })];
  const limits = { requests_per_minute: 60 };
  assert.equal(await one.started(20, limits), 20);
  // The first one holds all of it until it looks again.
  assert.equal(await two.started(10, limits), 1);
  await clock.advance(2_500);
  const before = await two.started(100, limits);
  assert.ok(before >= 20, `two has a quota by now: ${before}`);
  assert.ok(21 + before + await one.started(100, limits) <= 62);
  // A minute later only the second one is asked.
  for (let second = 0; second < 62; second++) {
    await clock.advance(1_000);
    await two.started(1, limits);
  }
  await clock.advance(70_000);
  await two.started(1, limits);
  await clock.advance(1_500);
  assert.equal(await two.started(100, limits), 59);
  await one.quotas.close();
  await two.quotas.close();
  assert.equal(clock.open, 0);
});

Deno.test("RateLimitQuotas asks the store at most once a second for a scope, and not at all when it is idle", async () => {
  const [{ store, requested }, clock] = [counted(memoryStore()), memoryClock()];
  const one = instance({ store, clock });
  for (let request = 0; request < 100; request++) {
    await one.started(1, { requests_per_minute: 1_000 });
    await clock.advance(100);
  }
  assert.ok(requested.writes >= 4 && requested.writes <= 11, `${requested.writes} writes in 10 s`);
  assert.ok(requested.reads <= 11, `${requested.reads} reads in 10 s`);
  await clock.advance(90_000);
  const { writes } = requested;
  await clock.advance(600_000);
  assert.equal(requested.writes, writes);
  assert.equal(clock.open, 0);
  assert.deepEqual(await store.list(["rate"]), []);
});

Deno.test("RateLimitQuotas lets a process that hears nothing of the store pass one request at a time", async () => {
  const [inner, clock] = [memoryStore(), memoryClock()];
  let down = false;
  const refuse = () => Promise.reject(new StoreError("unavailable", "down"));
  const { store } = counted(inner);
  const failing: Store = {
    ...store,
    get: (key) => down ? refuse() : inner.get(key),
    commit: (commit) => down ? refuse() : inner.commit(commit),
  };
  const one = instance({ store: failing, clock });
  const limits = { requests_per_minute: 100 };
  assert.equal(await one.started(10, limits), 10);
  down = true;
  await clock.advance(9_000);
  assert.equal(await one.started(1, limits), 1);
  await clock.advance(2_000);
  assert.equal(await one.started(5, limits), 0, "the lease is over");
  down = false;
  await clock.advance(2_000);
  assert.equal(await one.started(5, limits), 5);
  await one.quotas.close();
});

Deno.test("RateLimitQuotas gives what a dead process held to the others once its last minute is over", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const dead = instance({ store, clock });
  const limits = { requests_per_minute: 50 };
  await dead.started(50, limits);
  // Its clock stands still from now on, so it never looks again.
  const later = memoryClock(clock.now() + 5_000);
  const heir = instance({ store, clock: later });
  assert.equal(await heir.started(10, limits), 1);
  for (let second = 0; second < INSTANCE_GONE_MS / 1_000 + 2; second++) {
    await later.advance(1_000);
    await heir.started(1, limits);
  }
  assert.ok(await heir.started(50, limits) >= 45);
  await heir.quotas.close();
  await dead.quotas.close();
});

Deno.test("RateLimitQuotas remembers who was silent while a scope was not in use", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const dead = instance({ store, clock });
  const limits = { requests_per_minute: 50 };
  await dead.started(50, limits);
  const later = memoryClock();
  const heir = instance({ store, clock: later });
  assert.equal(await heir.started(10, limits), 1);
  await later.advance(300_000);
  assert.equal(later.open, 0, "it is not in use any more");
  assert.equal(await heir.started(60, limits), 50);
  await heir.quotas.close();
  await dead.quotas.close();
});

Deno.test("RateLimitQuotas leaves at the end only what was used", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const [one, two] = [instance({ store, clock }), instance({ store, clock })];
  const limits = { requests_per_minute: 50 };
  await one.started(5, limits);
  await one.quotas.close();
  assert.equal(await two.started(100, limits), 45);
  await two.quotas.close();
});

Deno.test("RateLimitQuotas counts open streams over all processes", async () => {
  const [store, clock] = [memoryStore(), memoryClock()];
  const [one, two] = [instance({ store, clock }), instance({ store, clock })];
  const limits = { concurrent_streams: 4 };
  const open = [];
  for (let index = 0; index < 4; index++) open.push(await one.enter(limits, { streamed: true }));
  assert.ok(open.every(({ type }) => type === "pass"));
  await two.enter(limits, { streamed: true });
  assert.equal((await two.enter(limits, { streamed: true })).type, "refused");
  for (const admission of open) if (admission.type === "pass") admission.end(0);
  await clock.advance(2_500);
  assert.equal((await two.enter(limits, { streamed: true })).type, "pass");
  await one.quotas.close();
  await two.quotas.close();
});
