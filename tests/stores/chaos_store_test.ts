import assert from "node:assert/strict";
import { withStoreDeadline } from "../../server/storage/stores/store_deadline.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { type ChaosPlan, chaosStore, failNth, faultsAt } from "../support/chaos_store.ts";
import { memoryClock } from "../support/clock.ts";

const key = ["a"];
const put = (store: Store, value: unknown) => store.commit({ puts: [{ key, value }] });

function opened(plan: ChaosPlan) {
  const clock = memoryClock();
  const inner = memoryStore();
  return { clock, inner, store: chaosStore(inner, { clock, plan }) };
}

const fails = (kind: string) => (error: unknown) => error instanceof StoreError && error.kind === kind;

Deno.test("chaosStore fails the n-th call before its work", async () => {
  const { store, inner } = opened(failNth(2, { type: "before" }, { times: 2 }));
  await put(store, 1);
  await assert.rejects(put(store, 2), fails("unavailable"));
  await assert.rejects(store.get(key), fails("unavailable"));
  assert.equal((await inner.get(key))?.value, 1);
  assert.equal((await put(store, 3)).type, "ok");
  assert.deepEqual([store.calls.length, store.met], [4, 2]);
});

Deno.test("failNth counts only the calls that it is about", async () => {
  const { store } = opened(failNth(2, { type: "before" }, { of: ["commit"] }));
  await put(store, 1);
  await store.get(key);
  await store.list(["a"]);
  await assert.rejects(put(store, 2));
  assert.deepEqual(store.calls.map(({ call, nth, index }) => [call, nth, index]), [
    ["commit", 1, 1],
    ["get", 1, 2],
    ["list", 1, 3],
    ["commit", 2, 4],
  ]);
});

Deno.test("chaosStore loses the reply of a commit that happened", async () => {
  const { store, inner } = opened(faultsAt({ 1: { type: "after", kind: "timeout" } }));
  await assert.rejects(put(store, 1), fails("timeout"));
  assert.equal((await inner.get(key))?.value, 1);
});

Deno.test("chaosStore applies a commit twice, which its own check then contradicts", async () => {
  const { store, inner } = opened(failNth(1, { type: "twice" }, { times: 3 }));
  const result = await store.commit({ checks: [{ key, version: null }], puts: [{ key, value: 1 }] });
  assert.equal(result.type, "conflict");
  assert.equal((await inner.get(key))?.value, 1);
  assert.equal((await store.get(key))?.value, 1);
});

Deno.test("chaosStore delays by the clock that it is given", async () => {
  const { store, inner, clock } = opened(faultsAt({ 1: { type: "delay", ms: 700 } }));
  const late = put(store, 1);
  await clock.advance(699);
  assert.equal(await inner.get(key), undefined);
  await clock.advance(1);
  assert.equal((await late).type, "ok");
});

Deno.test("chaosStore hangs until a deadline ends the wait, with and without the work done", async () => {
  for (const happens of [true, false]) {
    const { store, inner, clock } = opened(faultsAt({ 1: { type: "hang", happens } }));
    const call = assert.rejects(put(withStoreDeadline(store, { clock, ms: 2_000 }), 1), fails("timeout"));
    await clock.advance(2_000);
    await call;
    assert.equal((await inner.get(key))?.value, happens ? 1 : undefined);
  }
});

Deno.test("chaosStore follows another plan from now on and passes signals on", async () => {
  const { store } = opened(() => ({ type: "before" }));
  await assert.rejects(store.getMany([key]));
  store.follow(() => undefined);
  const heard: string[] = [];
  const unlisten = await store.listen?.((topic) => heard.push(topic));
  await store.commit({ puts: [{ key: ["epochs", "keys"], value: 1 }] });
  await unlisten?.();
  assert.deepEqual(heard, ["epochs/keys"]);
  assert.deepEqual(await store.health(), { ok: true });
  await store.close();
});
