import assert from "node:assert/strict";
import { type AccessToken, TokenCache } from "./token_cache.ts";

/** A cache whose mint is told by the test, and a clock that stands still until it is set. */
function rig(lifeMs: number) {
  const time = { now: 1_000_000 };
  const state = { minted: 0, fails: false };
  const mint = (): Promise<AccessToken> => {
    state.minted++;
    if (state.fails) return Promise.reject(new Error("no"));
    return Promise.resolve({ value: `t${state.minted}`, expiresAt: time.now + lifeMs });
  };
  const clock = { now: () => time.now, monotonic: () => time.now, after: () => () => {} };
  return { cache: new TokenCache(clock, mint), time, state, key: {} };
}

const settled = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));

Deno.test("TokenCache mints once for many and keeps the token", async () => {
  const { cache, key, state } = rig(3_600_000);
  const tokens = await Promise.all([cache.get(key), cache.get(key), cache.get(key)]);
  assert.deepEqual(tokens, ["t1", "t1", "t1"]);
  assert.equal(await cache.get(key), "t1");
  assert.equal(await cache.get({}), "t2", "another key, another token");
  assert.equal(state.minted, 2);
});

Deno.test("TokenCache renews beside the call shortly before the end, and before it at the end", async () => {
  const { cache, key, time } = rig(3_600_000);
  await cache.get(key);
  time.now += 3_600_000 - 5 * 60_000;
  assert.equal(await cache.get(key), "t1", "still good, renewed meanwhile");
  await settled();
  assert.equal(await cache.get(key), "t2");
  time.now += 3_600_000;
  assert.equal(await cache.get(key), "t3");
});

Deno.test("TokenCache goes on with the old token while a renewal fails, and tries again after a while", async () => {
  const { cache, key, time, state } = rig(3_600_000);
  await cache.get(key);
  time.now += 3_400_000;
  state.fails = true;
  for (let turn = 0; turn < 3; turn++) {
    assert.equal(await cache.get(key), "t1");
    await settled();
    await settled();
  }
  assert.equal(state.minted, 2, "not at every call");
  time.now += 200_000;
  await assert.rejects(() => cache.get(key), /no/);
  state.fails = false;
  assert.equal(await cache.get(key), "t4");
});

Deno.test("TokenCache forgets what the provider refused", async () => {
  const { cache, key } = rig(3_600_000);
  await cache.get(key);
  cache.forget(key);
  assert.equal(await cache.get(key), "t2");
});
