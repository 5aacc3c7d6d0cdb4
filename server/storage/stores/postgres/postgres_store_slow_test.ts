/** Faults that only a shared store can have: commits of several processes, a server that goes away. */

import assert from "node:assert/strict";
import { hasPostgres, sharedPostgres, startPostgres } from "../../../../tests/support/postgres.ts";
import { startProxy } from "../../../../tests/support/tcp_proxy.ts";
import { until } from "../../../../tests/support/until.ts";
import { addressOf } from "../../../../tests/support/store_address.ts";
import { createClock } from "../../../runtime.ts";
import { postgresStore } from "./postgres_store.ts";
import { postgresClient } from "./postgres_client.ts";
import { setUpPostgres } from "./setup.ts";
import { type CommitResult, type Store, StoreError, type StoreKey } from "../store.ts";

const ignore = !hasPostgres();

async function prepared(url: string): Promise<void> {
  const session = await postgresClient(addressOf(url), { statementMs: 2_000, connections: 1 });
  await setUpPostgres(session).finally(() => session.end());
}

async function opened(url: string, deadlineMs = 5_000): Promise<Store> {
  const sql = await postgresClient(addressOf(url), { statementMs: deadlineMs, connections: 8 });
  return postgresStore({ sql, clock: createClock(), deadlineMs });
}

/** Runs with `count` stores on one new database, each with connections of its own. */
async function withStores(count: number, run: (stores: readonly Store[]) => Promise<void>): Promise<URL> {
  const url = await (await sharedPostgres()).createDatabase();
  await prepared(url);
  const stores = await Promise.all(Array.from({ length: count }, () => opened(url)));
  try {
    await run(stores);
  } finally {
    for (const store of stores) await store.close();
  }
  return new URL(url);
}

/** A test of real connections, whose clock ticks for a moment after the last deadline. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn, sanitizeOps: false, sanitizeResources: false });
}

test("setUp lets ten instances start at once on an empty database", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  await Promise.all(Array.from({ length: 10 }, () => prepared(url)));
  const store = await opened(url);
  assert.equal((await store.commit({ puts: [{ key: ["a"], value: 1 }] })).type, "ok");
  await store.close();
});

test("setUp refuses a database that cannot keep every text", async () => {
  const server = await sharedPostgres();
  await server.query("create database latin encoding 'LATIN1' template template0 locale 'C'");
  await assert.rejects(prepared(server.url("latin")), /its encoding is LATIN1, UTF8 is needed/);
});

test("commit of many processes lets one of those win that check the same absent key", async () => {
  await withStores(3, async (stores) => {
    for (let round = 0; round < 40; round++) {
      const key = ["slug", round];
      const tries = Array.from({ length: 12 }, async (_, at) => {
        const puts = [{ key, value: at }, { key: ["owner", at], value: round }];
        return await stores[at % 3]?.commit({ checks: [{ key, version: null }], puts });
      });
      const results = await Promise.all(tries);
      const winners = results.flatMap((result, at) => result?.type === "ok" ? [at] : []);
      assert.equal(winners.length, 1);
      assert.equal((await stores[0]?.get(key))?.value, winners[0]);
    }
  });
});

test("commit allows no write skew, whether the keys are there or not", async () => {
  await withStores(2, async ([a, b]) => {
    assert.ok(a && b);
    for (let round = 0; round < 60; round++) {
      const [left, right]: readonly StoreKey[] = [["skew", round, "l"], ["skew", round, "r"]];
      assert.ok(left && right);
      const there = round % 2 === 0;
      if (there) await a.commit({ puts: [{ key: left, value: 0 }, { key: right, value: 0 }] });
      const [ofLeft, ofRight] = (await a.getMany([left, right])).map((entry) => entry?.version ?? null);
      assert.ok(ofLeft !== undefined && ofRight !== undefined);
      const results: readonly CommitResult[] = await Promise.all([
        a.commit({ checks: [{ key: left, version: ofLeft }], puts: [{ key: right, value: 1 }] }),
        b.commit({ checks: [{ key: right, version: ofRight }], puts: [{ key: left, value: 1 }] }),
      ]);
      assert.equal(results.filter(({ type }) => type === "ok").length, 1, `round ${round}`);
    }
  });
});

test("commit waits in no circle however its keys overlap", async () => {
  const url = await withStores(3, async (stores) => {
    let seed = 1;
    const random = (below: number) => (seed = seed * 48_271 % 2_147_483_647) % below;
    const work = async (store: Store) => {
      for (let round = 0; round < 60; round++) {
        const keys = new Set(Array.from({ length: 6 }, () => random(12)));
        const [removed = 0, ...put] = [...keys];
        const result = await store.commit({
          checks: round % 3 === 0 ? [{ key: ["other", random(3)], version: null }] : [],
          puts: put.map((at) => ({ key: ["x", at], value: round })),
          deletes: round % 2 === 0 ? [["x", removed]] : [],
        });
        assert.equal(result.type, "ok");
      }
    };
    await Promise.all(stores.flatMap((store) => [work(store), work(store), work(store)]));
    const found = await stores[0]?.list(["other"]);
    assert.deepEqual(found, [], "a checked key that is absent leaves nothing behind");
  });
  // A connection tells its deadlocks when it ends.
  const name = url.pathname.slice(1);
  const server = await sharedPostgres();
  const connections = `select count(*) from pg_stat_activity where datname = '${name}'`;
  await until(async () => await server.query(connections) === "0", { what: "the end of all connections" });
  assert.equal(await server.query(`select deadlocks from pg_stat_database where datname = '${name}'`), "0");
});

test("a store of PostgreSQL says what is the matter while its server is away, and works on when it is back", async () => {
  const server = await startPostgres();
  try {
    const url = await server.createDatabase();
    await prepared(url);
    const store = await opened(url, 1_000);
    const heard: string[] = [];
    const unlisten = await store.listen?.((topic) => heard.push(topic));
    await store.commit({ puts: [{ key: ["epochs", "keys"], value: 1 }] });
    await eventually(() => Promise.resolve(heard.includes("epochs/keys") || undefined));
    await server.kill();
    const failure = await store.get(["epochs", "keys"]).catch((error: unknown) => error);
    assert.ok(
      failure instanceof StoreError && ["unavailable", "timeout"].includes(failure.kind),
      String(failure),
    );
    assert.equal((await store.health()).ok, false);
    await server.restart();
    const back = await eventually(() => store.get(["epochs", "keys"]));
    assert.equal(back?.value, 1);
    await eventually(() => Promise.resolve(heard.includes("*") || undefined));
    await store.commit({ puts: [{ key: ["epochs", "models"], value: 1 }] });
    await eventually(() => Promise.resolve(heard.at(-1) === "epochs/models" || undefined));
    assert.equal(heard[0], "epochs/keys");
    await unlisten?.();
    await store.close();
  } finally {
    await server.stop();
  }
});

test("a store of PostgreSQL ends calls to a server that hangs, and carries none out later that was not sent", async () => {
  const server = await startPostgres();
  try {
    const url = await server.createDatabase();
    await prepared(url);
    const store = await opened(url, 300);
    await store.commit({ puts: [{ key: ["a"], value: 1 }] });
    await server.pause();
    const calls = Array.from(
      { length: 40 },
      (_, at) => store.commit({ puts: [{ key: ["late", at], value: at }] }),
    );
    const kinds = await Promise.all(calls.map((call) => call.then(({ type }) => type, ({ kind }) => kind)));
    assert.deepEqual([...new Set(kinds)], ["timeout"]);
    await server.resume();
    await eventually(() => store.get(["a"]));
    const late = await store.list(["late"]);
    assert.ok(late.length <= 8, `${late.length} commits came late, more than there are connections`);
    await store.close();
  } finally {
    await server.stop();
  }
});

test("a store of PostgreSQL leaves connections that no longer answer and subscribes again", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  await prepared(url);
  const proxy = await startProxy(Number(new URL(url).port));
  const address = addressOf(url.replace(/:\d+\//, `:${proxy.port}/`));
  const reconnect = () => postgresClient(address, { statementMs: 300, connections: 3 });
  const store = postgresStore({ sql: await reconnect(), reconnect, clock: createClock(), deadlineMs: 300 });
  const heard: string[] = [];
  await store.listen?.((topic) => heard.push(topic));
  await store.commit({ puts: [{ key: ["a"], value: 1 }] });
  proxy.freeze();
  await assert.rejects(store.get(["a"]), (error) => error instanceof StoreError && error.kind === "timeout");
  assert.equal((await eventually(() => store.get(["a"])))?.value, 1);
  await eventually(() => Promise.resolve(heard.includes("*") || undefined));
  await store.commit({ puts: [{ key: ["epochs", "keys"], value: 1 }] });
  await eventually(() => Promise.resolve(heard.includes("epochs/keys") || undefined));
  await store.close();
  proxy.close();
});

/** Asks again while it fails or gives undefined. */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  let value: T | undefined;
  await until(async () => {
    value = await ask().catch((error) => {
      assert.ok(error instanceof StoreError, String(error));
      return undefined;
    });
    return value !== undefined;
  });
  return value;
}
