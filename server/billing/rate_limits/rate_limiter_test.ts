import assert from "node:assert/strict";
import { noRateLimits, type RateLimited, type RateLimits } from "../../../shared/rate_limits.ts";
import { memoryClock } from "../../../tests/support/clock.ts";
import { type RateDecision, type RateGrant, RateLimiter, type RateRequest } from "./rate_limiter.ts";

const key = (limits: Partial<RateLimits>): RateLimited => ({
  type: "key",
  scope: "key:a",
  limits: { ...noRateLimits, ...limits },
});

const workspace = (limits: Partial<RateLimits>): RateLimited => ({
  type: "workspace",
  scope: "workspace:w",
  limits: { ...noRateLimits, ...limits },
});

function rig(...limited: readonly RateLimited[]) {
  const clock = memoryClock();
  const limiter = new RateLimiter({ clock });
  const enter = (ask: Partial<RateRequest> = {}): RateDecision => {
    const admission = limiter.tryStart(limited, { tokens: 1, streamed: false, ...ask });
    assert.ok(!(admission instanceof Promise), "a process of its own asks nobody");
    return admission;
  };
  return { clock, limiter, enter };
}

function passed(admission: RateDecision): RateGrant {
  assert.equal(admission.type, "pass");
  if (admission.type === "pass") return admission;
  throw new Error("refused");
}

function obstacleOf(admission: RateDecision) {
  if (admission.type === "refused") return admission.obstacle;
  throw new Error("passed");
}

Deno.test("RateLimiter starts no more requests than the limit, and says when the next one fits", async () => {
  const { clock, enter } = rig(key({ requests_per_minute: 2 }));
  assert.deepEqual(passed(enter()).standing(), {
    scope: "key",
    name: "requests_per_minute",
    limit: 2,
    remaining: 1,
    resetMs: 60_100,
  });
  await clock.advance(30_000);
  passed(enter()).end(0);
  const { waitMs, standing } = obstacleOf(enter());
  assert.equal(waitMs, 30_100);
  assert.equal(standing.remaining, 0);
  await clock.advance(30_100);
  passed(enter());
  assert.equal(obstacleOf(enter()).waitMs, 30_000);
});

Deno.test("RateLimiter counts tokens as estimated, then as they were", async () => {
  const { clock, enter } = rig(key({ tokens_per_minute: 100 }));
  const first = passed(enter({ tokens: 60 }));
  assert.equal(obstacleOf(enter({ tokens: 60 })).requested, 60);
  first.end(10);
  const second = passed(enter({ tokens: 60 }));
  second.end(200);
  second.end(0);
  assert.equal(second.standing().remaining, 0);
  assert.equal(obstacleOf(enter({ tokens: 1 })).waitMs, 60_100);
  await clock.advance(60_100);
  passed(enter({ tokens: 100 }));
});

Deno.test("RateLimiter says that a request larger than the limit never fits", () => {
  const { enter } = rig(key({ tokens_per_minute: 100, requests_per_minute: 5 }));
  assert.equal(obstacleOf(enter({ tokens: 101 })).waitMs, undefined);
  assert.equal(passed(enter({ tokens: 100 })).standing().name, "tokens_per_minute");
});

Deno.test("RateLimiter lets no more streams be open than the limit; whole answers are none", () => {
  const { enter } = rig(key({ concurrent_streams: 1 }));
  const open = passed(enter({ streamed: true }));
  assert.equal(obstacleOf(enter({ streamed: true })).waitMs, 1_000);
  passed(enter({ streamed: false }));
  open.end(0);
  passed(enter({ streamed: true }));
});

Deno.test("RateLimiter counts a request under no limit when one of them refuses it", () => {
  const { enter } = rig(key({ requests_per_minute: 10 }), workspace({ requests_per_minute: 1 }));
  passed(enter());
  for (let tries = 0; tries < 20; tries++) {
    assert.equal(obstacleOf(enter()).standing.scope, "workspace");
  }
  assert.equal(rig(key({ requests_per_minute: 1 })).enter().type, "pass");
});

Deno.test("RateLimiter counts on under changed limits, also while one is taken off", () => {
  const clock = memoryClock();
  const limiter = new RateLimiter({ clock });
  const enter = (limits: Partial<RateLimits>) =>
    limiter.tryStart([key(limits)], { tokens: 1, streamed: false });
  for (let start = 0; start < 3; start++) assert.ok("type" in enter({ requests_per_minute: 3 }));
  const refused = enter({ requests_per_minute: 2 });
  assert.equal("type" in refused && refused.type, "refused");
  const passes = enter({ requests_per_minute: 4 });
  assert.equal("type" in passes && passes.type, "pass");
  const other = enter({ tokens_per_minute: 4 });
  assert.equal("type" in other && other.type, "pass");
  if ("type" in other) assert.equal(passed(other).standing().name, "tokens_per_minute");
  const back = enter({ requests_per_minute: 5 });
  assert.equal("type" in back && back.type, "refused", "5 have started in this minute");
});

Deno.test("RateLimiter forgets scopes that nobody uses, and none that is in use", async () => {
  const clock = memoryClock();
  const limiter = new RateLimiter({ clock });
  const limits = { ...noRateLimits, requests_per_minute: 1 };
  const enter = (name: string) =>
    limiter.tryStart([{ type: "key", scope: name, limits }], { tokens: 1, streamed: false });
  enter("key:open");
  for (let index = 0; index < 1_100; index++) {
    const admission = enter(`key:${index}`);
    if (!(admission instanceof Promise)) passed(admission).end(0);
  }
  await clock.advance(61_000);
  for (let index = 0; index < 1_100; index++) enter(`key:later-${index}`);
  assert.ok(limiter.size < 1_300, `${limiter.size} scopes are held`);
  const again = enter("key:open");
  assert.equal("type" in again && again.type, "pass", "its minute is over, its request is not");
});
