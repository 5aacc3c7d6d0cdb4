import assert from "node:assert/strict";
import { memoryClock, type SteppedClock } from "../../../tests/support/clock.ts";
import { linesLogger } from "../../../tests/support/reader.ts";
import { bindStore } from "../../storage/stores/bound_store.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, type StoreCommit, StoreError } from "../../storage/stores/store.ts";
import { WARM_MS } from "../process_pool.ts";
import { ContainerLeases, LEASE_MS, type LeaseHolder, RENEW_MS } from "./container_leases.ts";
import { ContainerInUse } from "./containers.ts";

const KEY = { workspaceId: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11", id: "container" };
const ROW = ["container_leases", KEY.workspaceId, KEY.id];

interface InstanceOptions {
  readonly clock?: SteppedClock;
  readonly store?: Store;
  readonly url?: string;
}

function rig(inner: Store = memoryStore()) {
  const lines: string[] = [];
  const instance = (
    id: string,
    { clock = memoryClock(), store = inner, url }: InstanceOptions = {},
  ) => {
    const leases = new ContainerLeases({
      store,
      runtime: { clock, log: linesLogger(lines), id: () => id },
      url,
    });
    return { clock, leases, run: <T>(work: () => Promise<T>) => leases.run(KEY, { here: work }) };
  };
  return { store: inner, lines, instance };
}

type Instance = ReturnType<ReturnType<typeof rig>["instance"]>;

/** Begins to work, and ends when it is told to. */
function begin({ run }: Instance) {
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
  const { promise: working, resolve: end } = Promise.withResolvers<void>();
  const over = run(() => {
    begins();
    return working;
  });
  return { begun, end: () => (end(), over) };
}

/** Moves the time of all instances on. */
const advanceAll = async (clocks: readonly SteppedClock[], ms: number) => {
  for (const clock of clocks) await clock.advance(ms);
};

const free = () => Promise.resolve("free");

Deno.test("a container is one instance's as long as that works in it, and the next one's then", async () => {
  const { store, instance } = rig();
  const [a, b] = [instance("a"), instance("b")];
  const work = begin(a);
  await work.begun;
  for (let ms = 0; ms < 3 * LEASE_MS; ms += RENEW_MS) {
    await assert.rejects(b.run(free), ContainerInUse);
    await advanceAll([a.clock, b.clock], RENEW_MS);
  }
  await work.end();
  assert.equal(await b.run(free), "free");
  assert.equal(await store.get(ROW), undefined);
  assert.deepEqual([a.clock.open, b.clock.open], [0, 0]);
});

Deno.test("an instance that has ended, or was held still, loses its container after 20 s", async () => {
  const { store, instance } = rig();
  const [a, b, c] = [instance("a"), instance("b"), instance("c")];
  const work = begin(a);
  await work.begun;
  await b.clock.advance(LEASE_MS - 1);
  await assert.rejects(b.run(free), ContainerInUse);
  await b.clock.advance(1);
  const taken = begin(b);
  await taken.begun;
  await c.clock.advance(LEASE_MS);
  // It goes on where it stood, and finds that the container is another one's.
  await a.clock.advance(2 * RENEW_MS);
  await assert.rejects(c.run(free), ContainerInUse);
  await work.end();
  await assert.rejects(c.run(free), ContainerInUse);
  await taken.end();
  assert.equal(await store.get(ROW), undefined);
});

Deno.test("clocks that are two seconds apart take no container from who renews it", async () => {
  const { instance } = rig();
  const [a, b] = [instance("a"), instance("b")];
  await b.clock.advance(2_000);
  const work = begin(a);
  await work.begun;
  for (let ms = 0; ms < 2 * LEASE_MS; ms += RENEW_MS) {
    await advanceAll([b.clock, a.clock], RENEW_MS);
    await assert.rejects(b.run(free), ContainerInUse);
  }
  await work.end();
});

/** How a store that has made a commit says that it has not. */
const lostReplies: Readonly<Record<string, Store["commit"]>> = {
  "a conflict": () => Promise.resolve({ type: "conflict" }),
  "a time-out": () => Promise.reject(new StoreError("timeout", "The store has not answered")),
};

for (const [what, lose] of Object.entries(lostReplies)) {
  for (const every of [2, 3]) {
    Deno.test(`an instance keeps its container where ${what} is the reply to each ${every}. commit`, async () => {
      const { store, instance } = rig();
      let commits = 0;
      const lossy: Store = {
        ...bindStore(store),
        commit: async (commit) => {
          const result = await store.commit(commit);
          return ++commits % every === 0 ? await lose(commit) : result;
        },
      };
      const [a, b] = [instance("a", { store: lossy }), instance("b")];
      const work = begin(a);
      await work.begun;
      for (let ms = 0; ms < 4 * LEASE_MS; ms += RENEW_MS) {
        await advanceAll([a.clock, b.clock], RENEW_MS);
        await assert.rejects(b.run(free), ContainerInUse);
      }
      await work.end();
      assert.equal(await b.run(free), "free");
      assert.equal(await store.get(ROW), undefined);
    });
  }
}

Deno.test("what fails in a container gives it back, and so does a store that does not take that, in time", async () => {
  const { store, lines, instance } = rig();
  let fails = false;
  const commit: Store["commit"] = (input) =>
    fails ? Promise.reject(new StoreError("unavailable", "The store is away")) : store.commit(input);
  const [a, b] = [instance("a", { store: { ...store, get: store.get.bind(store), commit } }), instance("b")];
  await assert.rejects(a.run(() => Promise.reject(new Error("It broke"))), /It broke/);
  assert.equal(await b.run(free), "free");
  const answer = await a.run(() => {
    fails = true;
    return Promise.resolve("done");
  });
  assert.equal(answer, "done");
  assert.match(lines.join("\n"), /Cannot give a container back to other instances yet/);
  await assert.rejects(b.run(free), ContainerInUse);
  await b.clock.advance(LEASE_MS);
  assert.equal(await b.run(free), "free");
});

/** Begins to work in what ends when the test lets it, and counts how often it is told to end. */
function beginCounted({ leases }: Instance) {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const counted = { ends: 0 };
  const running = leases.run(KEY, {
    here: () => {
      begun.resolve();
      return over.promise;
    },
    end: () => {
      counted.ends++;
      return Promise.resolve();
    },
  });
  return { begun: begun.promise, counted, finish: () => (over.resolve(), running) };
}

/** Ways in which a container is lost, as other instances write them. */
const losses: Readonly<Record<string, StoreCommit>> = {
  "was deleted": { deletes: [ROW] },
  "was taken over": { puts: [{ key: ROW, value: { holder: "b", renewed_at: 1 } }] },
  "was taken over and is kept": { puts: [{ key: ROW, value: { holder: "b", renewed_at: 0, kept_at: 1 } }] },
};

for (const [what, loss] of Object.entries(losses)) {
  Deno.test(`what runs in a container that ${what} is told to end until it has`, async () => {
    const { store, instance } = rig();
    const a = instance("a");
    const { begun, counted, finish } = beginCounted(a);
    await begun;
    await a.clock.advance(RENEW_MS);
    assert.equal(counted.ends, 0);
    await store.commit(loss);
    const left = await store.get(ROW);
    for (const ends of [1, 2, 3]) {
      await a.clock.advance(RENEW_MS);
      assert.equal(counted.ends, ends);
    }
    await finish();
    assert.deepEqual(await store.get(ROW), left, "the row is another one's");
    assert.equal(a.clock.open, 0);
  });
}

Deno.test("a renewal whose reply is lost ends nothing, and the container is given back", async () => {
  const { store, lines, instance } = rig();
  let isLost = false;
  const commit: Store["commit"] = async (input) => {
    const result = await store.commit(input);
    if (isLost) throw new StoreError("timeout", "The reply is lost");
    return result;
  };
  const a = instance("a", { store: { ...store, get: store.get.bind(store), commit } });
  const { begun, counted, finish } = beginCounted(a);
  await begun;
  isLost = true;
  await a.clock.advance(RENEW_MS);
  isLost = false;
  await a.clock.advance(3 * RENEW_MS);
  assert.equal(counted.ends, 0);
  assert.match(lines.join("\n"), /Cannot renew the use of a container/);
  await finish();
  assert.equal(await store.get(ROW), undefined);
});

Deno.test("a container is busy elsewhere while another instance works in it", async () => {
  const { instance } = rig();
  const [a, b] = [instance("a"), instance("b")];
  const looks = async () => [await a.leases.isBusyElsewhere(KEY), await b.leases.isBusyElsewhere(KEY)];
  assert.deepEqual(await looks(), [false, false]);
  const work = begin(a);
  await work.begun;
  assert.deepEqual(await looks(), [false, true]);
  await b.clock.advance(LEASE_MS);
  assert.deepEqual(await looks(), [false, false], "it has not renewed");
  await work.end();
});

const WORKS = "http://10.0.0.5:8787";

/** Runs a command at an instance that can call others: who did it, and which others it called for that. */
async function command(
  { leases }: Instance,
  { keeps = true, answers = () => true }: CommandOptions = {},
): Promise<readonly string[]> {
  const called: string[] = [];
  const there = ({ id, url }: LeaseHolder) => {
    called.push(`${id} ${url}`);
    return Promise.resolve(answers(id) ? { value: "there" } : undefined);
  };
  const where = await leases.run(KEY, {
    here: () => Promise.resolve("here"),
    there,
    keepsProcess: () => keeps,
  });
  return [...called, where];
}

interface CommandOptions {
  /** The instance keeps the container's process behind it. */
  readonly keeps?: boolean;
  /** Whether an instance that is called still has the container. */
  readonly answers?: (id: string) => boolean;
}

/** Work on files, with the same means. */
const change = ({ leases }: Instance) =>
  leases.run(KEY, {
    here: () => Promise.resolve("here"),
    there: ({ id }) => Promise.resolve({ value: `between ${id}` }),
  });

Deno.test("a container in which another instance works is its affair, where that can be called", async () => {
  const { store, instance } = rig();
  const [a, b] = [instance("a", { url: WORKS }), instance("b")];
  const work = begin(a);
  await work.begun;
  assert.equal(a.leases.has(KEY), true);
  assert.deepEqual(await command(b), [`a ${WORKS}`, "there"]);
  assert.equal(await change(b), "between a");
  await assert.rejects(command(b, { answers: () => false }), ContainerInUse);
  await assert.rejects(
    b.run(free),
    ContainerInUse,
    "of what another instance has handed on, nothing goes further",
  );
  await work.end();
  assert.equal(a.leases.has(KEY), false);
  assert.deepEqual(await command(b), ["here"]);
  assert.equal(await store.get(ROW), undefined, "without an address of its own it keeps nothing");
});

Deno.test("a container stays where its process is kept, for a minute, and goes to who finds it gone", async () => {
  const { store, instance } = rig();
  const [a, b, c] = [instance("a", { url: WORKS }), instance("b", { url: "http://b" }), instance("c")];
  assert.deepEqual(await command(a), ["here"]);
  assert.deepEqual(await command(b), [`a ${WORKS}`, "there"]);
  const kept = await store.get(ROW);
  assert.equal(await change(b), "here", "nothing runs in it");
  assert.deepEqual((await store.get(ROW))?.value, kept?.value, "it stays where it was");
  assert.deepEqual(await command(a), ["here"], "its own");
  assert.deepEqual(await command(b, { answers: () => false }), [`a ${WORKS}`, "here"]);
  assert.deepEqual(await command(c), ["b http://b", "there"]);
  await c.clock.advance(WARM_MS);
  assert.deepEqual(await command(c), ["here"], "its process has ended by now");
  assert.equal(await store.get(ROW), undefined);
  await command(a);
  await command(a, { keeps: false });
  assert.equal(await store.get(ROW), undefined, "its process has ended with the command");
  assert.deepEqual([a, b, c].map(({ clock }) => clock.open), [0, 0, 0]);
});

Deno.test("only addresses of a server are called", async () => {
  const { store, instance } = rig();
  const b = instance("b");
  for (const url of [undefined, "", "ftp://a", "http://user@a", "http://a/path", "http://a?x", "a:80"]) {
    const value = { holder: "a", renewed_at: 0, kept_at: b.clock.now(), url };
    await store.commit({ puts: [{ key: ROW, value }] });
    assert.deepEqual(await command(b), ["here"], url);
  }
});
