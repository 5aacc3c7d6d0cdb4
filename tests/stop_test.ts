/** A stop of the real program while the store does not answer, or has a damaged row: it ends, and loses nothing. */

import assert from "node:assert/strict";
import { SPEND_ROWS } from "../server/billing/ledger/core/counters/spend_counter.ts";
import { EMBEDDED_INSTANCE } from "../server/billing/ledger/projection/shard_checkpoints.ts";
import { createClock } from "../server/runtime.ts";
import { openEmbedded } from "../server/storage/stores/embedded/open_embedded.ts";
import type { Store } from "../server/storage/stores/store.ts";
import { asList, asObject } from "./support/event_stream.ts";
import { closesOf } from "./support/journal.ts";
import { hasPostgres, startPostgres } from "./support/postgres.ts";
import { ended, type Started, started, withFolder } from "./support/program.ts";
import { providerAt } from "./support/gateway.ts";
import { says, scripted } from "./support/scripted.ts";
import { until } from "./support/until.ts";

const API_KEY = "stop-api-key-of-at-least-thirty-two-characters";
const MANAGEMENT_KEY = "stop-management-key-of-at-least-32-characters";
/** More than a stop may take, on any machine. */
const MOST_MS = 100_000;
const SPOOLED = /the next start writes them from the spool/;

async function settingsIn(folder: string, more: Readonly<Record<string, string>> = {}) {
  await Deno.writeTextFile(`${folder}/test.jsonc`, '{ "limits": { "drain_seconds": 1 } }');
  return {
    TOLLGATE_DATA: `${folder}/data`,
    TOLLGATE_CONFIG: `${folder}/test.jsonc`,
    TOLLGATE_API_KEY: API_KEY,
    TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
    ...more,
  };
}

/** The status, and the id of the receipt. */
async function request({ address }: Started, model = "local/echo") {
  const response = await fetch(`${address}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hello" }),
  });
  await response.body?.cancel();
  return { status: response.status, id: response.headers.get("x-generation-id") ?? "" };
}

async function receiptIds({ address }: Started): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const response = await fetch(`${address}/v1/receipts`, { headers });
  return asList(asObject(await response.json()).data).map((receipt) => asObject(receipt).id);
}

/** Stops it; a program that goes on is killed, and fails the test. */
async function stopped(gateway: Started): Promise<{ readonly code: number; readonly log: string }> {
  const stopping = gateway.stop();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The stop does not end")), MOST_MS);
  });
  try {
    return await Promise.race([stopping, tooLate]);
  } catch (error) {
    await gateway.stop("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function withStore<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openEmbedded(`${folder}/data`, {
    runtime: { clock: createClock(), randomToken: () => "test" },
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

Deno.test("a stop ends while PostgreSQL hangs, and the next start has every receipt", async () => {
  if (!hasPostgres()) return;
  const postgres = await startPostgres();
  try {
    await withFolder(async (folder) => {
      const env = await settingsIn(folder, { TOLLGATE_STORE: await postgres.createDatabase() });
      const gateway = await started(env);
      const served = await request(gateway);
      assert.equal(served.status, 200);
      await postgres.pause();
      // A model that nobody serves is refused, and its receipt is written all the same.
      const refused = await request(gateway, "nobody/nothing");
      assert.equal(refused.status, 404);
      const { code, log } = await stopped(gateway);
      await postgres.resume();
      assert.equal(code, 1, log);
      assert.match(log, SPOOLED);
      const next = await started(env);
      const ids = await receiptIds(next);
      for (const { id } of [served, refused]) assert.ok(ids.includes(id), `${id} is missing`);
      const last = await stopped(next);
      assert.equal(last.code, 0, last.log);
    });
  } finally {
    await postgres.resume();
    await postgres.stop();
  }
});

/** Problems of the ledger in readiness and status while receipts cannot be written. */
async function ledgerProblems({ address }: Started): Promise<readonly unknown[]> {
  const { details } = asObject(await (await fetch(`${address}/readyz`)).json());
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { data } = asObject(await (await fetch(`${address}/v1/status`, { headers })).json());
  return [asObject(details ?? {}).ledger, asObject(asObject(data).ledger).reason];
}

Deno.test("a stop ends on a healthy store with a damaged row of spend, which is told, and the receipt is there once it is mended", async () => {
  await withFolder(async (folder) => {
    const env = await settingsIn(folder);
    const first = await started(env);
    await request(first);
    assert.equal((await stopped(first)).code, 0);
    const key = await withStore(folder, async (store) => {
      const [close] = await closesOf(store);
      const scope = close?.scopes.find((name) => name.startsWith("key:"));
      assert.ok(scope);
      // Nothing was spent, so that there is no row yet.
      return [SPEND_ROWS, scope, EMBEDDED_INSTANCE];
    });
    await withStore(folder, (store) => store.commit({ puts: [{ key, value: "damaged" }] }));

    const second = await started(env);
    assert.deepEqual(await ledgerProblems(second), [undefined, null]);
    const { status, id } = await request(second);
    assert.equal(status, 200);
    const problems = await ledgerProblems(second);
    for (const problem of problems) assert.match(String(problem), /Cannot read what key:\S+ has spent/);
    const unclean = await stopped(second);
    assert.equal(unclean.code, 1, unclean.log);
    assert.match(unclean.log, SPOOLED);

    const refused = await ended({ env });
    assert.equal(refused.code, 78, refused.err);
    assert.match(refused.err, /Cannot read what key:\S+ has spent/);

    await withStore(folder, (store) => store.commit({ deletes: [key] }));
    const third = await started(env);
    assert.ok((await receiptIds(third)).includes(id));
    const clean = await stopped(third);
    assert.equal(clean.code, 0, clean.log);
  });
});

Deno.test("a signal that comes twice, as a process group gets it from `deno task`, lets running requests end", async () => {
  await withFolder(async (folder) => {
    const held = Promise.withResolvers<void>();
    await using upstream = scripted(async (requested, number) => {
      await held.promise;
      return await says("chat", "one two three")(requested, number);
    });
    const env = { ...await settingsIn(folder), MOCK_KEY: "k" };
    const file = {
      limits: { drain_seconds: 60 },
      providers: [providerAt(upstream.baseUrl, { wire: "chat" })],
    };
    await Deno.writeTextFile(`${folder}/test.jsonc`, JSON.stringify(file));
    const gateway = await started(env);
    const asked = request(gateway, "mock/model");
    await until(() => upstream.requested.length === 1, { what: "that the provider is asked" });
    const ends = [gateway.stop("SIGTERM"), gateway.stop("SIGTERM")];
    held.resolve();
    assert.equal((await asked).status, 200);
    const [{ code, log } = { code: -1, log: "" }] = await Promise.all(ends);
    assert.equal(code, 0, log);
    assert.equal(log.match(/Gateway stopping; draining requests/g)?.length, 1);
  });
});
