/** Key operations on every store, and between instances that share one. */

import assert from "node:assert/strict";
import { managementKeySchema } from "../../shared/management/management_keys.ts";
import { keyRecordSchema } from "../../shared/keys.ts";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { fakeClock } from "../support/clock.ts";
import { postgresAt } from "../support/each_store.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

async function statusOf(gateway: Gateway, token: string): Promise<number> {
  const response = await manage(gateway, { call: "GET /key", token });
  await response.body?.cancel();
  return response.status;
}

interface Wanted {
  readonly token: string;
  readonly status: number;
}

/** Waits for what another instance has changed. */
async function becomes(gateway: Gateway, { token, status }: Wanted): Promise<void> {
  await until(async () => await statusOf(gateway, token) === status, { what: `the key's status ${status}` });
}

/** Races that only a store decides. */
async function races(gateway: Gateway): Promise<void> {
  const headers = { "idempotency-key": "once" };
  const made = await Promise.all(
    Array.from(
      { length: 8 },
      () => managed(gateway, { call: "POST /keys", body: { name: "Once" }, headers }),
    ),
  );
  assert.equal(new Set(made.map(({ body }) => JSON.stringify(body))).size, 1);
  const { record, key } = await createKey(gateway, { limit: 1 });
  const call = `PATCH /keys/${record.hash}`;
  const patches = [{ name: "New" }, { limit: 2 }, { include_byok_in_limit: true }, { limit_reset: "daily" }];
  await Promise.all([...patches, ...patches].map((body) => managed(gateway, { call, body })));
  const kept = keyRecordSchema.parse(
    (await managed(gateway, { call: `GET /keys/${record.hash}` })).body.data,
  );
  assert.deepEqual(
    [kept.name, kept.limit, kept.include_byok_in_limit, kept.limit_reset],
    ["New", 2, true, "daily"],
  );
  const next = await managed(gateway, { call: `POST /keys/${record.hash}/rotate` });
  assert.deepEqual([await statusOf(gateway, key), await statusOf(gateway, String(next.body.key))], [
    401,
    200,
  ]);
  const names = keyRecordSchema.array().parse((await managed(gateway, { call: "GET /keys" })).body.data);
  assert.deepEqual(names.map(({ name }) => name).sort(), ["First API key", "New", "New", "Once"]);
  await lastOne(gateway);
}

async function lastOne(gateway: Gateway): Promise<void> {
  const other = await managed(gateway, { call: "POST /management-keys", body: { name: "Other" } });
  const listed = await managed(gateway, { call: "GET /management-keys" });
  const hashes = managementKeySchema.array().parse(listed.body.data).map(({ hash }) => hash);
  const tokens = [gateway.managementKey, String(other.body.key)];
  const answers = await Promise.all(
    hashes.flatMap((hash) =>
      tokens.map((token) => manage(gateway, { call: `DELETE /management-keys/${hash}`, token }))
    ),
  );
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
}

for (const name of ["memory", "the embedded store"]) {
  Deno.test(`key operations lose nothing in races on ${name}`, async () => {
    const store = name === "memory"
      ? memoryStore()
      : denoKvStore({ kv: await Deno.openKv(":memory:"), clock: fakeClock() });
    await using gateway = await startGateway({ store });
    await races(gateway);
  });
}

Deno.test({
  name: "key operations lose nothing in races on PostgreSQL, and other instances hear of them",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const url = await (await sharedPostgres()).createDatabase();
    await using one = await startGateway({ store: await postgresAt(url), shared: true });
    await using other = await startGateway({ store: await postgresAt(url), shared: true });
    const { record, key } = await createKey(one);
    assert.equal(await statusOf(other, key), 200);
    await managed(one, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
    assert.equal(await statusOf(one, key), 401);
    await becomes(other, { token: key, status: 401 });
    await managed(one, { call: `PATCH /keys/${record.hash}`, body: { disabled: false } });
    await becomes(other, { token: key, status: 200 });
    await managed(one, { call: `DELETE /keys/${record.hash}` });
    await races(one);
  },
});
