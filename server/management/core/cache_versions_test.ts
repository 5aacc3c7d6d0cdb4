import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, StoreError, type TopicListener } from "../../storage/stores/store.ts";
import { CacheVersions } from "./cache_versions.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function runtimeOf() {
  const clock = memoryClock();
  let ids = 0;
  return { clock, log: silent, id: () => String(++ids).padStart(32, "0") };
}

function listening(cacheVersions: CacheVersions): string[] {
  const heard: string[] = [];
  cacheVersions.on("keys", (id) => heard.push(`keys ${id ?? "all"}`));
  cacheVersions.on("credits", (id) => heard.push(`credits ${id ?? "all"}`));
  return heard;
}

Deno.test("CacheVersions.changed tells the listeners of the topic at once", () => {
  const cacheVersions = new CacheVersions({ store: memoryStore(), runtime: runtimeOf() });
  const heard = listening(cacheVersions);
  cacheVersions.changed("keys", "abc");
  cacheVersions.changed("budgets");
  assert.deepEqual(heard, ["keys abc"]);
});

Deno.test("CacheVersions.refresh sees what another instance changed, a second later at most", async () => {
  const store = memoryStore();
  const runtime = runtimeOf();
  const [mine, theirs] = [1, 2].map(() => new CacheVersions({ store, runtime, shared: true }));
  assert(mine && theirs);
  await theirs.refresh();
  const heard = listening(theirs);
  await store.commit({ puts: [mine.put("keys")] });
  await runtime.clock.advance(999);
  assert.equal(theirs.refresh(), undefined);
  assert.deepEqual(heard, []);
  await runtime.clock.advance(1);
  await Promise.all([theirs.refresh(), theirs.refresh()]);
  assert.deepEqual(heard, ["keys all"], "only what changed, and once");
  await runtime.clock.advance(1_000);
  await theirs.refresh();
  assert.deepEqual(heard, ["keys all"]);
});

Deno.test("CacheVersions.refresh looks at nothing where one process owns the store", () => {
  const store = memoryStore();
  const untouched: Store = { ...store, getMany: () => Promise.reject(new Error("asked")) };
  assert.equal(new CacheVersions({ store: untouched, runtime: runtimeOf() }).refresh(), undefined);
});

Deno.test("CacheVersions.refresh refuses while the store does not answer, and looks again", async () => {
  const store = memoryStore();
  const runtime = runtimeOf();
  let broken = true;
  const shaky: Store = Object.assign(Object.create(store), {
    getMany: (keys: Parameters<Store["getMany"]>[0]) =>
      broken ? Promise.reject(new StoreError("timeout", "No answer")) : store.getMany(keys),
  });
  const cacheVersions = new CacheVersions({ store: shaky, runtime, shared: true });
  await assert.rejects(Promise.resolve(cacheVersions.refresh()), { name: "ApiError", kind: "unavailable" });
  broken = false;
  await cacheVersions.refresh();
  assert.equal(cacheVersions.refresh(), undefined);
});

Deno.test("CacheVersions.listen takes the store's signals in place of looks", async () => {
  const store = memoryStore();
  let tell: TopicListener = () => {};
  let closed = 0;
  const signalling: Store = Object.assign(Object.create(store), {
    listen: (listener: TopicListener) => {
      tell = listener;
      return Promise.resolve(() => Promise.resolve(void closed++));
    },
    getMany: () => Promise.reject(new Error("asked")),
  });
  const cacheVersions = new CacheVersions({ store: signalling, runtime: runtimeOf(), shared: true });
  const heard = listening(cacheVersions);
  await cacheVersions.listen();
  tell("epochs/keys");
  tell("wanted/keys");
  assert.equal(cacheVersions.refresh(), undefined);
  tell("*");
  assert.deepEqual(heard, ["keys all", "keys all", "credits all"]);
  await cacheVersions.close();
  await cacheVersions.close();
  assert.equal(closed, 1);
});
