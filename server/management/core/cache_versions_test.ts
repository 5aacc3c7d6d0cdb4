import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import { memoryStore } from "../../stores/memory_store.ts";
import { type Listener, type Store, StoreError } from "../../stores/store.ts";
import { Epochs } from "./cache_versions.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function worldOf() {
  const clock = fakeClock();
  let ids = 0;
  return { clock, log: silent, id: () => String(++ids).padStart(32, "0") };
}

function listening(epochs: Epochs): string[] {
  const heard: string[] = [];
  epochs.on("keys", (id) => heard.push(`keys ${id ?? "all"}`));
  epochs.on("credits", (id) => heard.push(`credits ${id ?? "all"}`));
  return heard;
}

Deno.test("Epochs.changed tells the listeners of the topic at once", () => {
  const epochs = new Epochs({ store: memoryStore(), world: worldOf() });
  const heard = listening(epochs);
  epochs.changed("keys", "abc");
  epochs.changed("budgets");
  assert.deepEqual(heard, ["keys abc"]);
});

Deno.test("Epochs.fresh sees what another instance changed, a second later at most", async () => {
  const store = memoryStore();
  const world = worldOf();
  const [mine, theirs] = [1, 2].map(() => new Epochs({ store, world, shared: true }));
  assert(mine && theirs);
  await theirs.fresh();
  const heard = listening(theirs);
  await store.commit({ puts: [mine.put("keys")] });
  await world.clock.advance(999);
  assert.equal(theirs.fresh(), undefined);
  assert.deepEqual(heard, []);
  await world.clock.advance(1);
  await Promise.all([theirs.fresh(), theirs.fresh()]);
  assert.deepEqual(heard, ["keys all"], "only what changed, and once");
  await world.clock.advance(1_000);
  await theirs.fresh();
  assert.deepEqual(heard, ["keys all"]);
});

Deno.test("Epochs.fresh looks at nothing where one process owns the store", () => {
  const store = memoryStore();
  const untouched: Store = { ...store, getMany: () => Promise.reject(new Error("asked")) };
  assert.equal(new Epochs({ store: untouched, world: worldOf() }).fresh(), undefined);
});

Deno.test("Epochs.fresh refuses while the store does not answer, and looks again", async () => {
  const store = memoryStore();
  const world = worldOf();
  let broken = true;
  const shaky: Store = Object.assign(Object.create(store), {
    getMany: (keys: Parameters<Store["getMany"]>[0]) =>
      broken ? Promise.reject(new StoreError("timeout", "No answer")) : store.getMany(keys),
  });
  const epochs = new Epochs({ store: shaky, world, shared: true });
  await assert.rejects(Promise.resolve(epochs.fresh()), { name: "Refusal", kind: "unavailable" });
  broken = false;
  await epochs.fresh();
  assert.equal(epochs.fresh(), undefined);
});

Deno.test("Epochs.listen takes the store's signals in place of looks", async () => {
  const store = memoryStore();
  let tell: Listener = () => {};
  let closed = 0;
  const signalling: Store = Object.assign(Object.create(store), {
    listen: (listener: Listener) => {
      tell = listener;
      return Promise.resolve(() => Promise.resolve(void closed++));
    },
    getMany: () => Promise.reject(new Error("asked")),
  });
  const epochs = new Epochs({ store: signalling, world: worldOf(), shared: true });
  const heard = listening(epochs);
  await epochs.listen();
  tell("epochs/keys");
  tell("wanted/keys");
  assert.equal(epochs.fresh(), undefined);
  tell("*");
  assert.deepEqual(heard, ["keys all", "keys all", "credits all"]);
  await epochs.close();
  await epochs.close();
  assert.equal(closed, 1);
});
