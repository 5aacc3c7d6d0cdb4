/** Every kind of store, opened empty, for tests that hold on each. */

import { createClock, createRuntime } from "../../server/runtime.ts";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { openPostgres } from "../../server/storage/stores/postgres/open_postgres.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { fakeClock } from "./clock.ts";
import { hasPostgres, sharedPostgres } from "./postgres.ts";
import { addressOf } from "./store_address.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Deno KV in memory with the limits of a remote one. */
export async function remoteKvStore(): Promise<Store> {
  return denoKvStore({ kv: await Deno.openKv(":memory:"), clock: fakeClock(), maxChecks: 10 });
}

/** The store in the database of that address. */
export async function postgresAt(url: string): Promise<Store> {
  const runtime = { clock: createClock(), randomToken: createRuntime(silent).randomToken };
  return await openPostgres(addressOf(url), { runtime });
}

/** Tests the same on every kind of store; without PostgreSQL, on the others. */
export function testEachStore(name: string, run: (store: Store) => Promise<void>): void {
  const test = (kind: string, open: () => Promise<Store>, options: TestOptions = {}) =>
    Deno.test({
      ...options,
      name: `${name} (${kind})`,
      fn: async () => {
        const store = await open();
        await run(store);
        await store.close();
      },
    });
  test("memory", () => Promise.resolve(memoryStore()));
  test("Deno KV", remoteKvStore);
  // The server and its clock outlive the test that asks for them first.
  const outlives = { ignore: !hasPostgres(), sanitizeOps: false, sanitizeResources: false };
  test("PostgreSQL", async () => await postgresAt(await (await sharedPostgres()).createDatabase()), outlives);
}

type TestOptions = Pick<Deno.TestDefinition, "ignore" | "sanitizeOps" | "sanitizeResources">;
