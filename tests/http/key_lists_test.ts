/** `GET /keys` as people use it: searched, sorted, and paged by cursor. */

import assert from "node:assert/strict";
import * as z from "zod";
import { keyRecordSchema, timestampSchema } from "../../shared/keys.ts";
import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { asList, asObject } from "../support/event_stream.ts";
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
  const all = ["three", "two", "one", "none", "First API key"];
  assert.deepEqual(await everyPage(gateway, { sort: "usage_monthly", limit: "2" }), all);
});

Deno.test("GET /keys says which states and orders there are", async () => {
  await using gateway = await startGateway();
  for (const [query, allowed] of [["state=gone", "unused"], ["sort=age", "last_used"]]) {
    const { status, body } = await managed(gateway, { call: `GET /keys?${query}` });
    assert.equal(status, 400, query);
    assert.match(String(asObject(body.error).message), new RegExp(allowed ?? ""), query);
  }
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

/** Every list that takes an `offset` and needs nothing in its path. */
const offsetLists = Object.values(managementApi).flatMap((row: ManagementOperation) =>
  row.method === "GET" && !row.path.includes(":") && row.query instanceof z.ZodObject &&
    "offset" in row.query.shape
    ? [row.path]
    : []
);

for (const path of offsetLists) {
  Deno.test(`GET ${path} skips as many as offset says, or refuses it`, async () => {
    await using gateway = await startGateway();
    for (let at = 0; at < 3; at++) {
      const { body } = await managed(gateway, {
        call: "POST /workspaces",
        body: { name: `Workspace ${at}`, slug: `workspace-${at}` },
      });
      const workspace = String(asObject(body.data).id);
      await createKey(gateway, { name: `Key ${at}` });
      await createKey(gateway, { name: `Key ${at}`, workspace_id: workspace });
      await managed(gateway, { call: "POST /guardrails", body: { name: `Guardrail ${at}` } });
      await managed(gateway, { call: "POST /management-keys", body: { name: `Manager ${at}` } });
      await managed(gateway, { call: "POST /credits", body: { amount: at + 1, note: "a grant" } });
    }
    const queries = path === "/keys"
      ? [
        "",
        "limit=2",
        "workspace_id=all",
        "q=key",
        "sort=name",
        "sort=usage_monthly",
        "sort=created&limit=2",
      ]
      : ["", "limit=2"];
    for (const query of queries) {
      const read = (offset: number) => managed(gateway, { call: `GET ${path}?${query}&offset=${offset}` });
      const [first, second] = [await read(0), await read(1)];
      assert.equal(first.status, 200, JSON.stringify(first.body));
      if (second.status === 400) {
        assert.match(String(asObject(second.body.error).message), /offset/, query);
        assert.equal(path, "/keys");
        continue;
      }
      assert.equal(second.status, 200);
      // Lists by offset do not say when a key was used.
      const [all = [], rest = []] = [first, second].map(({ body }) =>
        asList(body.data).map((one) => ({ ...asObject(one), last_used_at: undefined }))
      );
      assert.deepEqual(rest.slice(0, 1), all.slice(1, 2), `${path}?${query}`);
      if (all.length > 0) assert.notDeepEqual(rest[0], all[0], `${path}?${query}`);
    }
  });
}

Deno.test("GET /keys with offset takes a limit, and refuses what has no offset", async () => {
  await using gateway = await startGateway();
  for (let at = 0; at < 4; at++) await createKey(gateway, { name: `Key ${at}` });
  const names = async (query: string) =>
    asList((await managed(gateway, { call: `GET /keys?${query}` })).body.data).map((key) =>
      asObject(key).name
    );
  const all = await names("");
  assert.deepEqual(await names("offset=1&limit=2"), all.slice(1, 3));
  assert.deepEqual(await names("offset=2"), all.slice(2));
  for (
    const query of ["workspace_id=all", "q=key", "sort=name", "sort=created", "state=active", "cursor=x"]
  ) {
    const { status, body } = await managed(gateway, { call: `GET /keys?${query}&offset=1` });
    assert.equal(status, 400, query);
    assert.match(String(asObject(body.error).message), /offset/, query);
  }
});
