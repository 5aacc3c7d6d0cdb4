import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { memoryClock } from "../../../tests/support/clock.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { StoredReply } from "./idempotency_records.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import type { IdempotencyClaim } from "./idempotency_claim.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function rig(store: Store = memoryStore()) {
  const clock = memoryClock();
  let ids = 0;
  const runtime = {
    clock,
    log: silent,
    id: () => String(++ids),
    randomToken: (bytes: number) => randomBytes(bytes).toString("base64url"),
  };
  return {
    store,
    clock,
    claims: new IdempotencyKeys({ store, runtime }),
    other: new IdempotencyKeys({ store, runtime }),
  };
}

const idempotencyRequest = {
  keyHash: "a".repeat(64),
  token: "tg-mgmt-secret-token-of-the-caller",
  key: "k1",
  request: "create {}",
};
const answer: StoredReply = { status: 201, text: '{"key":"tg-api-plain"}', id: "exchange" };

async function mine(
  claims: IdempotencyKeys,
  changes: Partial<typeof idempotencyRequest> = {},
): Promise<IdempotencyClaim> {
  const claimed = await claims.claim({ ...idempotencyRequest, ...changes });
  assert.equal(claimed.type, "mine");
  if (claimed.type !== "mine") throw new Error("unreachable");
  return claimed.claim;
}

const everything = async (store: Store) =>
  JSON.stringify([
    await store.list(["idempotency"], { limit: 1_000 }),
    await store.list(["idempotency_by_expiry"], { limit: 1_000 }),
  ]);

Deno.test("IdempotencyKeys.claim gives the kept answer for a day, then the work anew", async () => {
  const { store, clock, claims } = rig();
  await (await mine(claims)).storeReply(answer);
  assert.deepEqual(await claims.claim(idempotencyRequest), { type: "kept", kept: answer });
  const stored = await everything(store);
  for (const secret of ["tg-api-plain", idempotencyRequest.token]) assert(!stored.includes(secret));
  await clock.advance(86_399_999);
  assert.equal((await claims.claim(idempotencyRequest)).type, "kept");
  await clock.advance(1);
  await (await mine(claims)).release();
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyKeys.claim refuses another request under the key, and tells callers apart", async () => {
  const { claims, clock } = rig();
  const running = await mine(claims);
  const other = { name: "ApiError", kind: "invalid_request" };
  await assert.rejects(claims.claim({ ...idempotencyRequest, request: "create {1}" }), other);
  await running.storeReply(answer);
  await assert.rejects(claims.claim({ ...idempotencyRequest, request: "create {1}" }), other);
  await (await mine(claims, { keyHash: "b".repeat(64) })).release();
  await (await mine(claims, { key: "k2" })).release();
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyKeys.claim makes fifty at once wait for one, here and elsewhere", async () => {
  const { claims, other, clock } = rig();
  let runs = 0;
  const run = async (where: IdempotencyKeys) => {
    const claimed = await where.claim(idempotencyRequest);
    if (claimed.type === "kept") return claimed.kept;
    runs++;
    await new Promise<void>((resolve) => clock.after(1_000, resolve));
    await claimed.claim.storeReply(answer);
    return answer;
  };
  const all = Promise.all(Array.from({ length: 50 }, (_, at) => run(at % 2 === 0 ? claims : other)));
  for (let at = 0; at < 20; at++) await clock.advance(100);
  assert.deepEqual(new Set((await all).map(({ text }) => text)), new Set([answer.text]));
  assert.equal(runs, 1);
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyClaim.release lets the next one try again", async () => {
  const { claims, clock } = rig();
  const first = await mine(claims);
  const second = mine(claims);
  await first.release();
  await (await second).storeReply(answer);
  assert.equal((await claims.claim(idempotencyRequest)).type, "kept");
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyKeys.claim takes over a claim without a sign of life, and no other", async () => {
  const { claims, other, clock } = rig();
  const alive = await mine(claims);
  let taken = false;
  const waiting = other.claim(idempotencyRequest).then((claimed) => {
    taken = true;
    return claimed;
  });
  for (let at = 0; at < 60; at++) await clock.advance(1_000);
  assert.equal(taken, false, "a long call renews its claim");
  await alive.storeReply(answer);
  await clock.advance(1_000);
  assert.equal((await waiting).type, "kept");
});

Deno.test("IdempotencyKeys.claim goes on after a crash", async () => {
  const { store, claims, other, clock } = rig();
  const dead = await mine(claims);
  // Its process is gone: nothing renews the claim, and what it would still write comes too late.
  const [entry] = await store.list(["idempotency"]);
  assert(entry);
  const taken = other.claim(idempotencyRequest);
  await store.commit({ puts: [{ key: entry.key, value: entry.value }] });
  await clock.advance(21_000);
  const claimed = await taken;
  assert.equal(claimed.type, "mine");
  const { checks } = dead.commitParts(answer);
  assert.deepEqual(await store.commit({ checks }), { type: "conflict" });
  await dead.storeReply(answer);
  if (claimed.type === "mine") await claimed.claim.storeReply({ ...answer, text: "second" });
  const kept = await claims.claim(idempotencyRequest);
  assert.equal(kept.type === "kept" && kept.kept.text, "second");
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyClaim.commitParts keep the answer in the commit of the work", async () => {
  const { store, claims, clock } = rig();
  const claim = await mine(claims);
  const { checks, puts } = claim.commitParts(answer);
  assert.equal((await store.commit({ checks, puts })).type, "ok");
  await claim.release();
  assert.deepEqual(await claims.claim(idempotencyRequest), { type: "kept", kept: answer });
  assert.equal(clock.open, 0);
});

Deno.test("IdempotencyKeys.claim says so when an answer was too large to keep", async () => {
  const { claims } = rig();
  await (await mine(claims)).storeReply({ ...answer, text: "x".repeat(600_000) });
  await assert.rejects(claims.claim(idempotencyRequest), /too large to be kept/);
});

Deno.test("IdempotencyKeys.claim sweeps what has expired, a bounded number at a time", async () => {
  const { store, claims, clock } = rig();
  for (let at = 0; at < 70; at++) await (await mine(claims, { key: `old-${at}` })).storeReply(answer);
  await clock.advance(86_400_000);
  for (const left of [21, 1]) {
    await clock.advance(60_000);
    await (await mine(claims, { key: "new" })).release();
    assert.equal((await store.list(["idempotency"], { limit: 1_000 })).length, left === 21 ? 20 : 0);
  }
  assert.equal(clock.open, 0);
});
