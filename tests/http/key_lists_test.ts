/** `GET /keys` as people use it: searched, sorted, and paged by cursor. */

import assert from "node:assert/strict";
import * as z from "zod";
import { keyRecordSchema, timestampSchema } from "../../shared/keys.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { call, pricedAt } from "../money/rig.ts";

const listSchema = z.object({
  data: z.array(keyRecordSchema),
  next: z.string().nullable(),
  complete: z.literal(false).optional(),
  as_of: timestampSchema.nullable().optional(),
});

async function listOf(gateway: Gateway, query: Readonly<Record<string, string>>) {
  const { status, body } = await managed(gateway, { call: `GET /keys?${new URLSearchParams(query)}` });
  assert.equal(status, 200, JSON.stringify(body));
  return listSchema.parse(body);
}

const namesOf = (list: z.infer<typeof listSchema>) => list.data.map(({ name }) => name);

async function everyPage(gateway: Gateway, query: Readonly<Record<string, string>>) {
  const names: string[] = [];
  let cursor = "";
  do {
    const page = await listOf(gateway, { ...query, cursor });
    assert.ok(page.data.length <= Number(query.limit));
    names.push(...namesOf(page));
    cursor = page.next ?? "";
  } while (cursor !== "");
  return names;
}

Deno.test("GET /keys?q finds the beginning of any word of the name, and of hash and label", async () => {
  await using gateway = await startGateway();
  const names = ["Ada's research notebook", "Bookkeeping", "Support Assistant", "support-batch"];
  const hashes = new Map<string, string>();
  for (const name of names) hashes.set(name, (await createKey(gateway, { name })).record.hash);
  const found = async (q: string) => namesOf(await listOf(gateway, { q })).sort();
  assert.deepEqual(await found("support"), ["Support Assistant", "support-batch"]);
  assert.deepEqual(await found("SUPPORT ass"), ["Support Assistant"]);
  assert.deepEqual(await found("note"), ["Ada's research notebook"]);
  assert.deepEqual(await found("book"), ["Bookkeeping"]);
  assert.deepEqual(await found("keeping"), []);
  const hash = hashes.get("Bookkeeping") ?? "";
  assert.deepEqual(await found(hash.slice(0, 9)), ["Bookkeeping"]);
  await managed(gateway, { call: `PATCH /keys/${hash}`, body: { name: "Invoices" } });
  assert.deepEqual([await found("book"), await found("invo")], [[], ["Invoices"]]);
  await managed(gateway, { call: `DELETE /keys/${hash}` });
  assert.deepEqual(await found("invo"), []);
  assert.equal((await listOf(gateway, { q: "support" })).complete, undefined);
});

Deno.test("GET /keys pages by cursor in every order, whatever comes and goes", async () => {
  await using gateway = await startGateway();
  const names = Array.from({ length: 23 }, (_, at) => `key ${String.fromCharCode(97 + (at * 7) % 23)}`);
  for (const name of names) await createKey(gateway, { name });
  const first = "First API key";
  assert.deepEqual(await everyPage(gateway, { sort: "name", limit: "5" }), [first, ...names.toSorted()]);
  // Keys of one millisecond stand in the order of their hashes, as in the list by offset.
  const { body } = await managed(gateway, { call: "GET /keys" });
  const byOffset = keyRecordSchema.array().parse(body.data).map(({ name }) => name);
  assert.deepEqual(await everyPage(gateway, { limit: "5" }), byOffset);
  assert.deepEqual(await everyPage(gateway, { q: "key", sort: "name", limit: "4" }), [
    first,
    ...names.toSorted(),
  ]);
  const { next } = await listOf(gateway, { sort: "name", limit: "5" });
  await createKey(gateway, { name: "aaa" });
  const second = await listOf(gateway, { sort: "name", limit: "5", cursor: next ?? "" });
  assert.deepEqual(namesOf(second), names.toSorted().slice(4, 9));
  for (const cursor of ["nonsense", `${next}x`]) {
    const { status } = await managed(gateway, { call: `GET /keys?sort=name&cursor=${cursor}` });
    assert.equal(status, 400, cursor);
  }
  const other = await managed(gateway, { call: `GET /keys?cursor=${next}` });
  assert.equal(other.status, 400, "a cursor of another order");
});

Deno.test("GET /keys?sort=usage_monthly has those that spent most, as of a moment", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const keys = [];
  for (const name of ["one", "three", "none", "two"]) keys.push(await createKey(gateway, { name }));
  for (const [at, count] of [[0, 1], [1, 3], [3, 2]] as const) {
    for (let sent = 0; sent < count; sent++) {
      await (await call(gateway, { key: keys[at]?.key ?? "" })).text();
    }
  }
  await gateway.ledger.caughtUp();
  await until(async () => {
    const list = await listOf(gateway, { sort: "usage_monthly" });
    return typeof list.as_of === "string" && namesOf(list)[0] === "three";
  });
  const list = await listOf(gateway, { sort: "usage_monthly", limit: "3" });
  assert.deepEqual(namesOf(list), ["three", "two", "one"]);
});

Deno.test("GET /keys?workspace_id=all has the keys of all workspaces; a list says of which", async () => {
  await using gateway = await startGateway();
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const { id } = z.object({ id: z.string() }).parse(made.body.data);
  await createKey(gateway, { name: "in the lab", workspace_id: id });
  await createKey(gateway, { name: "at home" });
  const names = async (query: Readonly<Record<string, string>>) =>
    namesOf(await listOf(gateway, query)).sort();
  assert.deepEqual(await names({ workspace_id: "all" }), ["First API key", "at home", "in the lab"]);
  assert.deepEqual(await names({ workspace_id: "all", sort: "name" }), [
    "First API key",
    "at home",
    "in the lab",
  ]);
  assert.deepEqual(await names({ workspace_id: id, limit: "10" }), ["in the lab"]);
  assert.deepEqual(await names({ workspace_id: "all", q: "in" }), ["in the lab"]);
});
