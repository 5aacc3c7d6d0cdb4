/** The operator's commands against a gateway that runs. */

import assert from "node:assert/strict";
import { runAdmin } from "../../server/cli/admin_command.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { noStreams, redirected } from "../support/file_streams.ts";
import { type Gateway, patientCrowd, startGateway } from "../support/gateway.ts";

const local = { env: { TOLLGATE_LOCAL: "on" }, limits: patientCrowd };

const operationOf = (row: Readonly<Record<string, unknown>>) => row.operation;
const managementHashOf = ({ managementKey }: Gateway) => hashKey(managementKey);

Deno.test("admin uploads a file from the standard input, and downloads it to the standard output", async () => {
  await using gateway = await startGateway(local);
  const { url, managementKey } = gateway;
  const content = new TextEncoder().encode("a,b\n1,2\n");
  const { streams, written } = redirected(content);
  const run = (...args: string[]) => runAdmin({ args, url, managementKey, fetch, width: 300, streams });
  const made = await run("files", "upload", "--filename", "sums.csv", "--purpose", "user_data", "--json");
  assert.equal(made.code, 0, made.out);
  const { id, filename } = JSON.parse(made.out);
  assert.equal(filename, "sums.csv");
  const listed = await run("files", "list");
  assert.match(listed.out, /sums\.csv/);
  // What was uploaded is not given out again; the reply is a refusal and no file.
  const refused = await run("files", "download", id);
  assert.equal(refused.code, 1);
  assert.match(refused.out, /^4\d\d /);
  assert.deepEqual(written, []);
});

Deno.test("admin makes, shows, changes and deletes a key over HTTP", async () => {
  await using gateway = await startGateway(local);
  const { url, managementKey } = gateway;
  const run = (...args: string[]) =>
    runAdmin({ args, url, managementKey, fetch, width: 300, streams: noStreams });
  const made = await run(
    "keys",
    "create",
    "--name",
    "123",
    "--limit",
    "2.5",
    "--limit_reset=monthly",
    "--json",
  );
  const { data, key } = JSON.parse(made.out);
  assert.equal(made.code, 0);
  assert.match(key, /^tg-api-/);
  assert.deepEqual([data.name, data.limit, data.limit_reset], ["123", 2.5, "monthly"]);
  const changed = await run("keys", "update", data.hash, "--limit", "null", "--json");
  assert.equal(JSON.parse(changed.out).data.limit, null);
  const short = data.hash.slice(0, 12);
  assert.match((await run("keys", "list")).out, new RegExp(`^${short}  `, "m"));
  await assert.rejects(run("keys", "delete", data.hash), /keys delete needs --yes: it deletes/);
  assert.equal(JSON.parse((await run("keys", "get", short, "--json")).out).data.hash, data.hash);
  assert.match((await run("keys", "usage", short)).out, /^label +tg-api-/m);
  const own = managementHashOf(gateway).slice(0, 8);
  const changes = JSON.parse((await run("audit", "list", "--actor", own, "--json")).out);
  assert.deepEqual([...new Set(changes.data.map(operationOf))], ["keys.update", "keys.create"]);
  assert.match(
    (await run("audit", "list")).out,
    /^[\da-f]{32} +\S+ +keys\.update +management [\da-f]{12,64} +key /m,
  );
  await assert.rejects(
    run("keys", "create", "--name", "x", "--limit", "-1"),
    /Cannot create key: limit is -1/,
  );
  const gone = await run("keys", "delete", data.hash, "--yes");
  assert.deepEqual(gone, { out: "deleted  true\n", code: 0 });
  const again = await run("keys", "get", data.hash);
  assert.equal(again.code, 1);
  assert.match(again.out, /^404 /);
});
