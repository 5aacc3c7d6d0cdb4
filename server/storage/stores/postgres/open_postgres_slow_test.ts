import assert from "node:assert/strict";
import { hasPostgres, sharedPostgres } from "../../../../tests/support/postgres.ts";
import { addressOf } from "../../../../tests/support/store_address.ts";
import { createClock } from "../../../runtime.ts";
import { openPostgres, withSession } from "./open_postgres.ts";
import { runExclusively } from "./live_lock.ts";
import { type Store, StoreError, type StoreErrorKind } from "../store.ts";
import { until } from "../../../../tests/support/until.ts";

const ignore = !hasPostgres();
let tokens = 0;
const runtime = { clock: createClock(), randomToken: () => `shared-${tokens++}` };

/** A test of real connections, whose clock ticks for a moment after the last deadline. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn, sanitizeOps: false, sanitizeResources: false });
}

const open = (url: string, folder?: string) =>
  openPostgres(addressOf(url), { runtime, folder, deadlineMs: 5_000 });

function fails(
  work: Promise<Store>,
  { kind, words }: { readonly kind: StoreErrorKind; readonly words: RegExp },
) {
  return assert.rejects(work, (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, words);
    assert.doesNotMatch(error.message, /p@ssword|\n/);
    return true;
  });
}

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await run(folder).finally(() => Deno.remove(folder, { recursive: true }));
}

test("openPostgres sets up an empty database for many instances at once", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(url)));
  await stores[0]?.commit({ puts: [{ key: ["a"], value: 1 }] });
  assert.equal((await stores[3]?.get(["a"]))?.value, 1);
  assert.deepEqual(await stores[2]?.health(), { ok: true });
  const mark = (await stores[1]?.get(["meta", "store"]))?.value;
  assert.ok(typeof mark === "object" && mark !== null && "starts" in mark);
  assert.equal(mark.starts, 4);
  for (const store of stores) await store.close();
});

test("openPostgres says in one sentence why a store cannot be opened, without the password", async () => {
  const server = await sharedPostgres();
  const url = server.url();
  const unreachable = (words: RegExp) => ({ kind: "unavailable", words } as const);
  await fails(
    open(url.replace("tollgate:", "tollgate:wrong")),
    unreachable(/tollgate@127.* the user or the password/),
  );
  await fails(open(server.url("absent")), unreachable(/TOLLGATE_STORE.* there is no such database/));
  await fails(open(url.replace(/:\d+\//, ":1/")), unreachable(/TOLLGATE_STORE.* no server listens there/));
  await fails(
    open(url.replace("127.0.0.1", "no-such-host.invalid")),
    unreachable(/there is no such host|looked up/),
  );
  await server.query("create role guest login password 'guest'");
  await fails(
    open(url.replace(/tollgate:[^@]+@/, "guest:guest@")),
    unreachable(/the user may not create a schema/),
  );
});

test("openPostgres notices a database that was emptied or put back to an older copy", async () => {
  const server = await sharedPostgres();
  await withFolder(async (folder) => {
    const url = await server.createDatabase();
    for (let start = 0; start < 3; start++) await (await open(url, folder)).close();
    const database = new URL(url).pathname.slice(1);
    await server.query(
      `update tollgate.records set json = replace(json, '"starts":3', '"starts":1')`,
      database,
    );
    await fails(open(url, folder), {
      kind: "lost",
      words: /is older than at the last start \(start 1 of 3\)/,
    });
    await server.query("drop schema tollgate cascade", database);
    await fails(open(url, folder), { kind: "lost", words: /is empty or new, but.*shared_store\.json/ });
    await Deno.remove(`${folder}/shared_store.json`);
    await (await open(url, folder)).close();
  });
});

test("alone waits for no live gateway, and no gateway starts beside it", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const store = await open(url);
  const work = () =>
    withSession(addressOf(url), (session) => runExclusively(session, () => fails(open(url), inUse)));
  const inUse = { kind: "in_use", words: /is being restored or compacted/ } as const;
  await assert.rejects(work(), /is in use by a running Tollgate/);
  await store.close();
  await work();
  await (await open(url)).close();
});

test("a gateway whose connections were ended takes its lock again", async () => {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const store = await open(url);
  const database = new URL(url).pathname.slice(1);
  await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
  const held = `select count(*) from pg_locks l join pg_database d on d.oid = l.database
    where locktype = 'advisory' and datname = '${database}'`;
  await until(async () => await server.query(held) === "1", { what: "that the lock is taken again" });
  await store.close();
});
