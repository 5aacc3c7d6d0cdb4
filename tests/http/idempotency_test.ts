import assert from "node:assert/strict";
import { ask, readError, readJson } from "../support/call.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { manage, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

const idempotent = (key: string) => ({ "idempotency-key": key });
const body = { name: "Once" };

Deno.test("POST /keys makes one key of many requests under one Idempotency-Key", async () => {
  await using gateway = await startGateway();
  const create = () => managed(gateway, { call: "POST /keys", body, headers: idempotent("k-1") });
  const answers = await Promise.all(Array.from({ length: 25 }, create));
  answers.push(await create());
  const keys = new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
  assert.equal(keys.size, 1);
  const replays = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
  assert.equal(replays.length, 25);
  const { body: { total_count } } = await managed(gateway, { call: "GET /audit?operation=keys.create" });
  assert.equal(total_count, 1);
});

Deno.test("POST /keys keeps no key's text readable in the store", async () => {
  await using gateway = await startGateway();
  const { body: { key } } = await managed(gateway, { call: "POST /keys", body, headers: idempotent("k-1") });
  const collections = ["idempotency", "keys", "audit", "keys_by_workspace", "epochs"];
  const rows = await Promise.all(collections.map((name) => gateway.store.list([name], { limit: 1_000 })));
  assert(rows.every((found) => found.length > 0));
  assert.equal(JSON.stringify(rows).includes(String(key)), false);
});

Deno.test("Idempotency-Key stands for one request of one caller", async () => {
  await using gateway = await startGateway();
  const other = await managed(gateway, { call: "POST /management-keys", body: { name: "Other" } });
  const create = (token: string, key = "k-1") =>
    managed(gateway, { call: "POST /keys", body: { name: "A" }, token, headers: idempotent(key) });
  const first = await create(gateway.managementKey);
  const error = await readError(
    await manage(gateway, { call: "POST /keys", body: { name: "B" }, headers: idempotent("k-1") }),
  );
  assert.deepEqual([error.status, /used for another request/.test(error.message)], [400, true]);
  const workspace = { call: "POST /workspaces", body: { name: "A", slug: "a" }, headers: idempotent("k-1") };
  assert.equal((await managed(gateway, workspace)).status, 400);
  const theirs = await create(String(other.body.key));
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.key, first.body.key);
  for (const odd of ["", "a b", "x".repeat(256)]) {
    assert.equal((await create(gateway.managementKey, odd)).status, 400, odd.slice(0, 5));
  }
  const without = await Promise.all([1, 2].map(() => managed(gateway, { call: "POST /keys", body })));
  assert.notEqual(without[0]?.body.key, without[1]?.body.key);
});

Deno.test("POST /workspaces makes one workspace of many requests under one Idempotency-Key", async () => {
  await using gateway = await startGateway();
  const call = { call: "POST /workspaces", body: { name: "W", slug: "w" }, headers: idempotent("w-1") };
  const answers = await Promise.all(Array.from({ length: 10 }, () => managed(gateway, call)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
});

Deno.test("a refused request under an Idempotency-Key may be repeated", async () => {
  await using gateway = await startGateway();
  const call = { call: "POST /workspaces", body: { name: "D", slug: "default" }, headers: idempotent("d-1") };
  for (let times = 0; times < 2; times++) assert.equal((await managed(gateway, call)).status, 400);
});

Deno.test("POST /responses asks the provider once under one Idempotency-Key", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const request = { model: "mock/model", input: "Hi" };
  const send = (changes = {}) => ask(gateway, { ...request, ...changes }, { headers: idempotent("r-1") });
  const first = await send();
  const second = await send();
  const answer = await readJson(first);
  assert.deepEqual(await readJson(second), answer);
  assert.equal(upstream.requested.length, 1);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.equal(second.headers.get("x-generation-id"), first.headers.get("x-generation-id"));
  assert.notEqual(second.headers.get("x-request-id"), first.headers.get("x-request-id"));
  assert.equal((await readError(await send({ input: "Other" }))).status, 400);
  const streamed = await send({ stream: true });
  assert.match(streamed.headers.get("content-type") ?? "", /event-stream/);
  await streamed.text();
  assert.equal(upstream.requested.length, 2, "a stream is never repeated from what was kept");
});
