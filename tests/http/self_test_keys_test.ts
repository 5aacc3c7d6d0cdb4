/** Keys with `self_test`: outside of budgets, so only management keys make them, capped, for the built-in models. */

import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { manage, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt } from "../money/rig.ts";

const answer = says("chat", "one two three");
const selfTest = { name: "Try", self_test: true, limit: 0.5 };

Deno.test("POST /keys with self_test is 403 for a client secret", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  const refused = await readError(
    await manage(gateway, {
      call: "POST /keys",
      body: { ...selfTest, external_user: "ada" },
      token: String(body.secret),
    }),
  );
  assert.equal(refused.status, 403);
  assert.match(refused.message, /self_test/);
  const listed = await managed(gateway, { call: "GET /keys" });
  assert(!JSON.stringify(listed.body).includes("Try"));
});

Deno.test("POST /keys with self_test needs a limit of at most 1 USD, and PATCH keeps it there", async () => {
  await using gateway = await startGateway();
  const create = (limit: unknown) =>
    manage(gateway, { call: "POST /keys", body: { name: "Try", self_test: true, limit } });
  for (const limit of [undefined, null, 1.01, 5_000]) {
    const refused = await readError(await create(limit));
    assert.deepEqual([refused.status, asObject(refused.error.metadata).path], [400, "limit"], String(limit));
  }
  const { status, body } = await managed(gateway, { call: "POST /keys", body: { ...selfTest, limit: 1 } });
  assert.equal(status, 201);
  const path = `/keys/${asObject(body.data).hash}`;
  for (const limit of [null, 2]) {
    const refused = await readError(await manage(gateway, { call: `PATCH ${path}`, body: { limit } }));
    assert.deepEqual([refused.status, asObject(refused.error.metadata).path], [400, "limit"], String(limit));
  }
  const lowered = await managed(gateway, { call: `PATCH ${path}`, body: { limit: 0.25 } });
  assert.deepEqual([lowered.status, asObject(lowered.body.data).limit], [200, 0.25]);
});

Deno.test("lists, records and the audit log say which keys are self_test", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, { call: "POST /keys", body: selfTest });
  const { hash, self_test } = asObject(body.data);
  assert.equal(self_test, true);
  const plain = asObject((await managed(gateway, { call: "POST /keys", body: { name: "Plain" } })).body.data);
  assert(!("self_test" in plain));
  const marks = asList((await managed(gateway, { call: "GET /keys" })).body.data).map(asObject)
    .flatMap((key) => key.self_test === undefined ? [] : [[key.hash, key.self_test]]);
  assert.deepEqual(marks, [[hash, true]]);
  const shown = asObject((await managed(gateway, { call: `GET /keys/${hash}` })).body.data);
  assert.equal(shown.self_test, true);
  const changes = asList((await managed(gateway, { call: "GET /audit" })).body.data).map(asObject);
  const change = changes.find((one) => asObject(one.subject).id === hash);
  assert.equal(asObject(change?.after).self_test, true);
  const rotated = asObject((await managed(gateway, { call: `POST /keys/${hash}/rotate` })).body.data);
  assert.equal(rotated.self_test, true);
});

Deno.test("a self_test key reaches the built-in provider's models and no others", async () => {
  await using upstream = scripted(answer);
  await using impostor = scripted(says("chat", "I am not built in"));
  const rows = [
    pricedAt(upstream.baseUrl, { wire: "chat", id: "mock" }),
    pricedAt(impostor.baseUrl, { wire: "chat", id: "fault", open: true }),
  ];
  await using gateway = await startGateway({
    providers: rows,
    env: { TOLLGATE_LOCAL: "on", TOLLGATE_FAULT_LAB: "on" },
    file: { aliases: { chosen: "mock/model" } },
  });
  const { key } = (await managed(gateway, { call: "POST /keys", body: selfTest })).body;
  const ask = (model: string, path = "responses") =>
    call(gateway, { key: String(key), model, api: path === "responses" ? "responses" : "chat", cap: 20 });
  for (const model of ["mock/model", "chosen", "mock/model:nitro", "fault/anything"]) {
    for (const path of ["responses", "chat"]) {
      const refused = await readError(await ask(model, path));
      assert.equal(refused.status, 404, model);
      assert.match(refused.message, /self_test/, model);
    }
  }
  assert.deepEqual([upstream.requested.length, impostor.requested.length], [0, 0]);
  const served = await ask("local/priced");
  assert.equal(served.status, 200, await served.text());
  const others = await call(gateway, { key: gateway.apiKey, model: "mock/model", cap: 20 });
  assert.equal(others.status, 200, await others.text());
});
