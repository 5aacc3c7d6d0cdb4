import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";

async function workspaceWithKey(gateway: Gateway) {
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "W", slug: "w" } });
  const workspace_id = String(asObject(made.body.data).id);
  const { record: { hash }, key } = await createKey(gateway, { workspace_id });
  return { workspace_id, hash, key };
}

Deno.test("no key comes back to life in a workspace that is being deleted", async () => {
  await using gateway = await startGateway();
  const endings = new Set<string>();
  for (let round = 0; round < 30; round++) {
    const { workspace_id, hash, key } = await workspaceWithKey(gateway);
    await managed(gateway, { call: `PATCH /keys/${hash}`, body: { disabled: true } });
    const enable = () => managed(gateway, { call: `PATCH /keys/${hash}`, body: { disabled: false } });
    const drop = () => managed(gateway, { call: "DELETE /workspaces/w" });
    const calls = [
      drop,
      enable,
      () => managed(gateway, { call: "POST /keys", body: { name: "late", workspace_id } }),
      () => managed(gateway, { call: "POST /connect/clients", body: { name: "late", workspace_id } }),
      () => managed(gateway, { call: `PATCH /keys/${hash}`, body: { name: `Round ${round}` } }),
    ];
    const rotated = calls.slice(round % calls.length).concat(calls.slice(0, round % calls.length));
    const answers = await Promise.all(rotated.map((call) => call()));
    assert(answers.every(({ status }) => [200, 201, 400, 404].includes(status)), JSON.stringify(answers));
    const left = await managed(gateway, { call: "GET /workspaces/w" });
    const used = await managed(gateway, { call: "GET /key", token: key });
    endings.add(`${left.status}`);
    if (left.status === 404) {
      assert.equal(used.status, 401, "the workspace is gone, and its keys with it");
      assert.equal((await enable()).status, 404);
    } else {
      const { body } = await managed(gateway, {
        call: `GET /keys?workspace_id=${workspace_id}&include_disabled=true`,
      });
      assert(Array.isArray(body.data));
      for (const one of body.data) await managed(gateway, { call: `DELETE /keys/${asObject(one).hash}` });
      assert.deepEqual((await drop()).body, { deleted: true });
    }
    assert.deepEqual(await orphansIn(gateway.store), []);
  }
  assert.deepEqual([...endings].sort(), ["200", "404"], "both endings were seen");
});

Deno.test("a key that is deleted, changed and rotated at once is gone or whole", async () => {
  await using gateway = await startGateway();
  for (let round = 0; round < 20; round++) {
    const { record: { hash }, key } = await createKey(gateway, { limit: 1 });
    const path = `/keys/${hash}`;
    const [gone, , rotated] = await Promise.all([
      managed(gateway, { call: `DELETE ${path}` }),
      managed(gateway, { call: `PATCH ${path}`, body: { limit: 2 } }),
      managed(gateway, { call: `POST ${path}/rotate` }),
    ]);
    assert.equal(gone.status, 200);
    assert.equal((await managed(gateway, { call: "GET /key", token: key })).status, 401);
    assert.equal((await managed(gateway, { call: `GET ${path}` })).status, 404);
    assert([201, 404].includes(rotated.status));
  }
  assert.deepEqual(await orphansIn(gateway.store), []);
});
