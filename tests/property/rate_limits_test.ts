import assert from "node:assert/strict";
import fc from "fast-check";
import { type RateGrant, RateLimiter } from "../../server/billing/rate_limits/rate_limiter.ts";
import { RateLimitQuotas } from "../../server/billing/rate_limits/rate_limit_quotas.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { noRateLimits, type RateLimited, type RateLimitName } from "../../shared/rate_limits.ts";
import { memoryClock } from "../support/clock.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";
import { wrappedStore } from "../support/wrapped_store.ts";

const MINUTE = 60_000;
const limited = (name: RateLimitName, limit: number): readonly RateLimited[] => [
  { type: "key", scope: "key:a", limits: { ...noRateLimits, [name]: limit } },
];

/** Ms to the next request: bursts, the edges of the counter's slots, and long silences. */
const gaps = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 9_000, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: 59_850, max: 60_150, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 99, 99.999, 100, 59_900, 59_999.9, 60_000, 60_099, 61_000) },
);

/** The most that lies within any 60 s, both ends included. */
function mostWithin(uses: readonly { readonly at: number; readonly amount: number }[]): number {
  let most = 0;
  for (const { at: from } of uses) {
    const within = uses.filter(({ at }) => at >= from && at <= from + MINUTE);
    most = Math.max(most, within.reduce((sum, { amount }) => sum + amount, 0));
  }
  return most;
}

function atOnce(
  limiter: RateLimiter,
  ask: { readonly by: readonly RateLimited[]; readonly tokens?: number },
) {
  const admission = limiter.tryStart(ask.by, { tokens: ask.tokens ?? 1, streamed: false });
  assert.ok(!(admission instanceof Promise));
  return admission;
}

Deno.test(`RateLimiter starts no more than the limit in any 60 s, and no fewer (SEED=${seed})`, async () => {
  const plan = fc.record({
    limit: fc.integer({ min: 1, max: 12 }),
    gaps: fc.array(gaps, { maxLength: 150 }),
  });
  const property = fc.asyncProperty(plan, async (plan) => {
    const clock = memoryClock();
    const limiter = new RateLimiter({ clock });
    const starts: { readonly at: number; readonly amount: number }[] = [];
    for (const gap of plan.gaps) {
      if (gap > 0) await clock.advance(gap);
      const at = clock.monotonic();
      const admission = atOnce(limiter, { by: limited("requests_per_minute", plan.limit) });
      if (admission.type === "pass") {
        admission.end(1);
        starts.push({ at, amount: 1 });
        continue;
      }
      const lately = starts.filter((start) => start.at > at - MINUTE - 100);
      assert.ok(lately.length >= plan.limit, "nobody is refused without need");
    }
    assert.ok(mostWithin(starts) <= plan.limit);
  });
  await assertProperty(property, { numRuns: runs(25) });
});

const call = fc.record({
  gap: gaps,
  estimate: fc.integer({ min: 1, max: 400 }),
  used: fc.nat(900),
  /** How many requests later it ends. */
  ends: fc.nat(6),
});

interface Use {
  at: number;
  amount: number;
}

Deno.test(`RateLimiter passes a token limit only by what was in flight (SEED=${seed})`, async () => {
  const plan = fc.record({
    limit: fc.integer({ min: 100, max: 2_000 }),
    calls: fc.array(call, { maxLength: 80 }),
  });
  const property = fc.asyncProperty(plan, async ({ limit, calls }) => {
    const clock = memoryClock();
    const limiter = new RateLimiter({ clock });
    const uses: Use[] = [];
    const open: {
      readonly pass: RateGrant;
      readonly use: Use;
      readonly used: number;
      readonly until: number;
    }[] = [];
    for (const [index, { gap, estimate, used, ends }] of calls.entries()) {
      if (gap > 0) await clock.advance(gap);
      const now = clock.monotonic();
      for (const one of open.filter(({ until }) => until === index)) {
        one.pass.end(one.used);
        one.pass.end(0);
        if (one.used > one.use.amount) uses.push({ at: now, amount: one.used - one.use.amount });
        else if (one.use.at > now - MINUTE) one.use.amount = one.used;
      }
      const counted = uses.filter(({ at }) => at >= now - MINUTE).reduce(
        (sum, { amount }) => sum + amount,
        0,
      );
      const admission = atOnce(limiter, { by: limited("tokens_per_minute", limit), tokens: estimate });
      if (admission.type === "refused") {
        assert.equal(admission.obstacle.waitMs === undefined, estimate > limit);
        continue;
      }
      assert.ok(counted + estimate <= limit, `${counted} are counted, ${estimate} more fit into ${limit}`);
      const use = { at: now, amount: estimate };
      uses.push(use);
      open.push({ pass: admission, use, used, until: index + 1 + ends });
    }
  });
  await assertProperty(property, { numRuns: runs(40) });
});

/** A store as one instance sees it: it fails at times, before or after it has done what it was told. */
function unsure(store: Store, fails: () => "no" | "before" | "after"): Store {
  const flaky = async <T>(run: () => Promise<T>): Promise<T> => {
    const how = fails();
    if (how === "before") throw new StoreError("unavailable", "it failed before");
    const result = await run();
    if (how === "after") throw new StoreError("timeout", "it failed after");
    return result;
  };
  return wrappedStore(store, flaky);
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const step = fc.record({
  /** Ms until it happens. */
  gap: fc.oneof({ weight: 4, arbitrary: fc.nat(700) }, { weight: 1, arbitrary: fc.nat(12_000) }),
  instance: fc.nat(3),
  /** Requests that come together. */
  burst: fc.integer({ min: 1, max: 25 }),
});

const fate = fc.constantFrom("no", "no", "no", "no", "before", "after");

Deno.test(`RateLimitQuotas let no more than the limit and one each start in any 60 s (SEED=${seed})`, async () => {
  const plan = fc.record({
    limit: fc.integer({ min: 1, max: 60 }),
    instances: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(step, { minLength: 20, maxLength: 90 }),
    fates: fc.infiniteStream(fate),
    /** From this step on the first instance hears nothing of the store any more. */
    silentFrom: fc.nat(120),
  });
  const property = fc.asyncProperty(plan, async ({ limit, instances, steps, fates, silentFrom }) => {
    const clock = memoryClock();
    const store = memoryStore();
    let silent = false;
    const made = Array.from({ length: instances }, (_, index) => {
      const fails = () => silent && index === 0 ? "before" : fates.next().value;
      const runtime = { clock, id: () => `instance-${index}`, log: quiet };
      const shares = new RateLimitQuotas({ store: unsure(store, fails), runtime });
      return { shares, limiter: new RateLimiter({ clock, quotas: shares }) };
    });
    const starts: { readonly at: number; readonly amount: number }[] = [];
    for (const [index, { gap, instance, burst }] of steps.entries()) {
      silent ||= index >= silentFrom;
      await clock.advance(gap);
      const chosen = made[instance % instances];
      for (let one = 0; one < burst; one++) {
        const ask = { tokens: 1, streamed: false };
        const admission = await chosen?.limiter.tryStart(limited("requests_per_minute", limit), ask);
        if (admission?.type !== "pass") continue;
        admission.end(1);
        starts.push({ at: clock.monotonic(), amount: 1 });
      }
    }
    for (const { shares } of made) await shares.close();
    assert.equal(clock.open, 0);
    const most = mostWithin(starts);
    assert.ok(most <= limit + instances, `${most} started in 60 s under ${limit}, on ${instances} instances`);
  });
  await assertProperty(property, { numRuns: runs(12) });
});
