/** `GET /backup` on an embedded store: a copy that restores, made beside requests, and gone when it is sent. */

import assert from "node:assert/strict";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { restoreEmbedded } from "../../server/storage/stores/embedded/backup.ts";
import { migrations, schemasOf } from "../../server/storage/stores/migrations.ts";
import { createRuntime } from "../../server/runtime.ts";
import { keyCollection } from "../../server/management/keys/key_rows.ts";
import { ConsoleClient, signedIn } from "../support/console_client.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { namesIn } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const runtime = { ...createRuntime(silent), clock: tickingClock() };

interface Rig extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly folder: string;
  /** Files of the data folder's `backups`. */
  readonly left: () => Promise<readonly string[]>;
}

async function embeddedGateway(): Promise<Rig> {
  const folder = await Deno.makeTempDir();
  const store = await openEmbedded(folder, { runtime });
  const gateway = await startGateway({ store, env: { TOLLGATE_DATA: folder } });
  return {
    gateway,
    folder,
    left: () => namesIn(`${folder}/backups`),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The name of the gateway's management key. */
async function ownName(gateway: Gateway): Promise<string> {
  const { body } = await managed(gateway, { call: "GET /management-keys" });
  return String(asObject(asList(body.data)[0] ?? {}).name);
}

const address = (confirm: string) => `/backup?confirm=${encodeURIComponent(confirm)}`;

Deno.test("GET /backup sends a copy of the embedded store that restores, and leaves nothing behind", async () => {
  await using rig = await embeddedGateway();
  const { gateway, left } = rig;
  const { record } = await createKey(gateway, { name: "=cmd()\u202e" });
  const response = await manage(gateway, { call: `GET ${address(await ownName(gateway))}` });
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  assert.match(response.headers.get("content-disposition") ?? "", /tollgate-\d{8}-\d{6}\.sqlite3/);
  const file = await Deno.makeTempFile();
  await Deno.writeFile(file, new Uint8Array(await response.arrayBuffer()));
  await until(async () => (await left()).length === 0, { what: "that the copy is gone" });
  await createKey(gateway, { name: "Behind it" });
  const folder = await Deno.makeTempDir();
  await restoreEmbedded(folder, { file, clock: runtime.clock, schemas: schemasOf(migrations) });
  const store = await openEmbedded(folder, { runtime });
  assert.equal((await keyCollection(store).get(record.hash))?.record.name, "=cmd()\u202e");
  await store.close();
  await Deno.remove(folder, { recursive: true });
  await Deno.remove(file);
  const audit = asList((await managed(gateway, { call: "GET /audit" })).body.data).map(asObject);
  assert(audit.some(({ operation }) => operation === "backup.get"));
});

Deno.test("GET /backup wants the key's name, and no key that may only read", async () => {
  await using rig = await embeddedGateway();
  const { gateway, left } = rig;
  const name = await ownName(gateway);
  for (const path of ["/backup", address(""), address(`${name} `), address("constructor")]) {
    const { status, body } = await managed(gateway, { call: `GET ${path}` });
    assert.equal(status, 400, path);
    assert.match(
      String(asObject(body.error).message),
      /confirm is .*; allowed is the name of the management key/,
    );
  }
  const made = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "Reader", read_only: true },
  });
  const reader = String(made.body.key);
  const refused = await managed(gateway, { call: `GET ${address("Reader")}`, token: reader });
  assert.equal(refused.status, 403);
  const session = await signedIn(gateway, reader);
  assert.equal((await session.answer({ call: `GET /api${address("Reader")}` })).status, 403);
  const nobody = await new ConsoleClient(gateway).answer({ call: `GET /api${address(name)}` });
  assert.equal(nobody.status, 401);
  assert.deepEqual(await left(), []);
});

Deno.test("GET /backup removes its copy when the client leaves, also for a HEAD", async () => {
  await using rig = await embeddedGateway();
  const { gateway, left } = rig;
  const session = await signedIn(gateway);
  const name = await ownName(gateway);
  const response = await session.send({ call: `GET /api${address(name)}` });
  assert.equal(response.status, 200);
  assert.equal((await left()).length, 1);
  await response.body?.cancel();
  await until(async () => (await left()).length === 0, { what: "that the copy is gone" });
  const head = await fetch(`${gateway.url}/v1${address(name)}`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${gateway.managementKey}` },
  });
  assert.equal(head.status, 200);
  await until(async () => (await left()).length === 0, { what: "that a HEAD leaves nothing" });
});

Deno.test("GET /backup says where the backup of another store is made", async () => {
  const env = { TOLLGATE_STORE: "postgres://user:planted0123@127.0.0.1/db" };
  await using gateway = await startGateway({ env });
  const { status, body } = await managed(gateway, { call: `GET ${address("x")}` });
  assert.equal(status, 400);
  assert.match(String(asObject(body.error).message), /PostgreSQL: back it up by `deno task backup`/);
});
