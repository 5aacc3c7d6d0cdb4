/** Backups of stores that have the bytes of files: what comes back is the files too. */

import assert from "node:assert/strict";
import { firstKeysOf } from "../support/first_keys.ts";
import { lookAt, pictureForm, seen } from "../support/pictures.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { ended, started, withFolder } from "../support/program.ts";

type Env = Readonly<Record<string, string>>;

const SIZE = 1_300_000;

async function testBackup(folder: string, { from, to }: { readonly from: Env; readonly to: Env }) {
  const first = await started({ ...from, TOLLGATE_BLOBS: "store" });
  const { apiKey: key = "" } = await firstKeysOf(first.banner);
  const headers = { authorization: `Bearer ${key}` };
  const uploaded = await fetch(`${first.address}/v1/files`, {
    method: "POST",
    headers,
    body: pictureForm(SIZE),
  });
  const { id } = await uploaded.json();
  const backup = await ended({
    env: { ...from, TOLLGATE_BLOBS: "store" },
    task: "backup",
    args: [`${folder}/copy`],
  });
  assert.deepEqual([backup.code, backup.err], [0, ""]);
  assert.match(backup.out, /does not contain the master key/);
  assert.doesNotMatch(backup.out, /content of files/);
  await first.stop();
  const restored = await ended({ env: to, task: "restore", args: [`${folder}/copy`, "--yes"] });
  assert.deepEqual([restored.code, restored.err], [0, ""]);
  const second = await started({ ...to, TOLLGATE_BLOBS: "store" });
  assert.match(await lookAt(second.address, { key, id }), seen(SIZE));
  const deleted = await fetch(`${second.address}/v1/files/${id}`, { method: "DELETE", headers });
  assert.equal(deleted.status, 200, await deleted.text());
  await second.stop();
}

Deno.test("a backup of the embedded store contains the bytes of files that are in it", async () => {
  await withFolder((folder) =>
    testBackup(folder, {
      from: { TOLLGATE_DATA: `${folder}/a` },
      to: { TOLLGATE_DATA: `${folder}/b` },
    })
  );
});

Deno.test("a backup of PostgreSQL contains the bytes of files that are in it", {
  ignore: !hasPostgres(),
}, async () => {
  const server = await sharedPostgres();
  const [from, to] = [await server.createDatabase(), await server.createDatabase()];
  await withFolder((folder) =>
    testBackup(folder, {
      from: { TOLLGATE_DATA: `${folder}/a`, TOLLGATE_STORE: from },
      to: { TOLLGATE_DATA: `${folder}/b`, TOLLGATE_STORE: to },
    })
  );
});
