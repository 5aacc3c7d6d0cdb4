/** `POST /route/explain` for a key that a manager names. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { ConsoleClient, signedIn } from "../support/console_client.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

const body = { model: "local/echo", input: "Hi", session_id: "s1" };

Deno.test("POST /route/explain tells a manager what it tells the key's holder", async () => {
  await using gateway = await startGateway();
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const workspace_id = asObject(made.body.data).id;
  const { record: { hash }, key } = await createKey(gateway, { workspace_id, limit: 0 });
  const own = await managed(gateway, { call: "POST /route/explain", body, token: key });
  assert.equal(own.status, 200, JSON.stringify(own.body));
  const reader = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "Reader", read_only: true },
  });
  for (const token of [gateway.managementKey, String(reader.body.key), key]) {
    const told = await managed(gateway, { call: `POST /route/explain?api_key_hash=${hash}`, body, token });
    assert.equal(told.status, 200, JSON.stringify(told.body));
    assert.deepEqual(told.body, own.body);
  }
  const client = await signedIn(gateway);
  const response = await client.send({ call: `POST /api/route/explain?api_key_hash=${hash}`, body });
  assert.deepEqual([response.status, await response.json()], [200, own.body]);
  const nobody = await new ConsoleClient(gateway).send({ call: "POST /api/route/explain", body });
  await nobody.body?.cancel();
  assert.equal(nobody.status, 401);
});

Deno.test("POST /route/explain says which key it takes", async () => {
  await using gateway = await startGateway();
  const { record: { hash } } = await createKey(gateway);
  const { record: off, key } = await createKey(gateway);
  await managed(gateway, { call: `PATCH /keys/${off.hash}`, body: { disabled: true } });
  const cases = [
    ["", 400, /api_key_hash is missing; allowed is the hash of an API key/],
    ["?api_key_hash=x", 400, /allowed is the hash of an API key/],
    [`?api_key_hash=${"0".repeat(64)}`, 404, /no API key with this hash/],
    [`?api_key_hash=${off.hash}`, 404, /that may be used/],
  ] as const;
  for (const [query, status, says] of cases) {
    const answer = await managed(gateway, { call: `POST /route/explain${query}`, body });
    assert.equal(answer.status, status, query);
    assert.match(String(asObject(answer.body.error).message), says);
  }
  const call = `POST /route/explain?api_key_hash=${hash}`;
  const other = await managed(gateway, { call, body, token: gateway.apiKey });
  assert.equal(other.status, 403);
  assert.equal((await managed(gateway, { call, body, token: key })).status, 401);
});
