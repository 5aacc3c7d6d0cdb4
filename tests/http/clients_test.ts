import assert from "node:assert/strict";
import { connectClientSchema } from "../../shared/management/clients.ts";
import { keyRecordSchema } from "../../shared/keys.ts";
import { readError } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";

interface Client {
  readonly id: string;
  readonly secret: string;
}

async function register(gateway: Gateway): Promise<Client> {
  const { status, body } = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  assert.equal(status, 201);
  const secret = String(body.secret);
  assert.match(secret, /^tg-client-[A-Za-z0-9_-]{43}$/);
  return { id: connectClientSchema.strict().parse(body.data).id, secret };
}

async function userKey(gateway: Gateway, { token, user = "ada" }: { token: string; user?: string }) {
  const { status, body } = await managed(gateway, {
    call: "POST /keys",
    body: { name: "Ada's", external_user: user },
    token,
  });
  assert.equal(status, 201);
  return { record: keyRecordSchema.parse(body.data), key: String(body.key) };
}

Deno.test("a client secret makes keys for its users, changes and deletes them, and does nothing else", async () => {
  await using gateway = await startGateway();
  const { secret: token } = await register(gateway);
  const { record, key } = await userKey(gateway, { token });
  assert.equal(record.external_user, "ada");
  const answer = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  const path = `/keys/${record.hash}`;
  const changed = await managed(gateway, { call: `PATCH ${path}`, body: { limit: 2 }, token });
  assert.deepEqual([changed.status, keyRecordSchema.parse(changed.body.data).limit], [200, 2]);
  for (
    const call of ["GET /keys", `GET ${path}`, `POST ${path}/rotate`, "GET /connect/clients", "GET /audit"]
  ) {
    const error = await readError(
      await manage(gateway, { call, token, body: call[0] === "P" ? {} : undefined }),
    );
    assert.equal(error.status, 403, call);
  }
  assert.deepEqual((await managed(gateway, { call: `DELETE ${path}`, token })).body, { deleted: true });
});

Deno.test("a client secret finds no key but its own, and cannot tell why", async () => {
  await using gateway = await startGateway();
  const mine = await register(gateway);
  const other = await register(gateway);
  const foreign = await userKey(gateway, { token: other.secret });
  const plain = await createKey(gateway);
  const bodies = new Set<string>();
  for (const hash of [foreign.record.hash, plain.record.hash, "0".repeat(64)]) {
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { disabled: true } : undefined;
      const error = await readError(
        await manage(gateway, { call: `${method} /keys/${hash}`, body, token: mine.secret }),
      );
      assert.equal(error.status, 404);
      bodies.add(JSON.stringify(error.body));
    }
  }
  assert.equal(bodies.size, 1);
});

Deno.test("POST /keys takes a user's own key from a client secret only", async () => {
  await using gateway = await startGateway();
  const { secret: token } = await register(gateway);
  const own = "my-own-key-0123456789-0123456789-abcdef";
  const send = (body: object, as?: string) => managed(gateway, { call: "POST /keys", body, token: as });
  const made = await send({ name: "x", external: { user: "ada", api_key: own } }, token);
  assert.deepEqual([made.status, made.body.key], [201, own]);
  const again = await send({ name: "x", external_user: "bob", external_api_key: own }, token);
  assert.equal(again.status, 400);
  const cases: readonly (readonly [object, string | undefined, number])[] = [
    [{ name: "x", external_user: "ada" }, undefined, 403],
    [{ name: "x", external: { user: "ada" } }, undefined, 403],
    [{ name: "x", external_user: "ada", external_api_key: "short" }, token, 400],
    [{ name: "x", external_user: "ada", external_api_key: "with space ".repeat(5) }, token, 400],
    [{ name: "x", external_user: "" }, token, 400],
    [{ name: "x", external_user: "u".repeat(513) }, token, 400],
    [{ name: "x", external_api_key: own }, token, 400],
    [{ name: "x", external: { user: "a" }, external_user: "a" }, token, 400],
    [{ name: "x" }, token, 400],
  ];
  for (const [body, as, status] of cases) {
    assert.equal((await send(body, as)).status, status, JSON.stringify(body));
  }
});

Deno.test("POST /keys gives one text to one key, however many ask at once", async () => {
  await using gateway = await startGateway();
  const { secret: token } = await register(gateway);
  const external = { user: "ada", api_key: "k".repeat(40) };
  const answers = await Promise.all(
    Array.from(
      { length: 30 },
      () => managed(gateway, { call: "POST /keys", body: { name: "x", external }, token }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.deepEqual([made.length, answers.filter(({ status }) => status === 400).length], [1, 29]);
});

Deno.test("POST /connect/clients/{id}/rotate ends the old secret when the overlap does", async () => {
  await using gateway = await startGateway();
  const { id, secret } = await register(gateway);
  const rotate = async (body?: object) => {
    const answer = await managed(gateway, { call: `POST /connect/clients/${id}/rotate`, body });
    assert.equal(answer.status, 201);
    return String(answer.body.secret);
  };
  const second = await rotate({ overlap_seconds: 100 });
  const { record } = await userKey(gateway, { token: secret });
  await userKey(gateway, { token: second });
  const third = await rotate();
  for (const token of [secret, second]) {
    assert.equal((await managed(gateway, { call: "POST /keys", body: {}, token })).status, 401);
  }
  const call = `PATCH /keys/${record.hash}`;
  assert.equal(
    (await managed(gateway, { call, body: {}, token: third })).status,
    200,
    "the client's keys stay its own",
  );
});

Deno.test("POST /connect/clients/{id}/revoke ends the secret and lists the keys that it leaves", async () => {
  await using gateway = await startGateway();
  const { id, secret } = await register(gateway);
  const keys = [
    await userKey(gateway, { token: secret }),
    await userKey(gateway, { token: secret, user: "bob" }),
  ];
  const busy = await managed(gateway, { call: `DELETE /connect/clients/${id}` });
  assert.equal(busy.status, 400);
  assert.equal(
    (await userKey(gateway, { token: secret })).record.external_user,
    "ada",
    "a refused deletion ends no secret",
  );
  for (let times = 0; times < 2; times++) {
    const { status, body } = await managed(gateway, { call: `POST /connect/clients/${id}/revoke` });
    assert.deepEqual([status, body.total_count], [200, 3]);
    assert.equal(keyRecordSchema.array().parse(body.keys).length, 3);
    assert.notEqual(connectClientSchema.parse(body.data).revoked_at, null);
  }
  assert.equal((await managed(gateway, { call: "POST /keys", body: {}, token: secret })).status, 401);
  const left = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${keys[0]?.key}` } });
  assert.equal(left.status, 200);
  await left.body?.cancel();
  assert.equal((await managed(gateway, { call: `POST /connect/clients/${id}/rotate` })).status, 400);
  const { body } = await managed(gateway, { call: "GET /keys" });
  for (const { hash, external_user } of keyRecordSchema.array().parse(body.data)) {
    if (external_user !== null) await managed(gateway, { call: `DELETE /keys/${hash}` });
  }
  assert.deepEqual((await managed(gateway, { call: `DELETE /connect/clients/${id}` })).body, {
    deleted: true,
  });
  assert.equal((await managed(gateway, { call: `DELETE /connect/clients/${id}` })).status, 404);
  assert.deepEqual((await managed(gateway, { call: "GET /connect/clients" })).body, {
    data: [],
    total_count: 0,
  });
});

Deno.test("DELETE /workspaces takes the clients of a workspace and their secrets with it", async () => {
  await using gateway = await startGateway();
  const workspace = await managed(gateway, { call: "POST /workspaces", body: { name: "W", slug: "w" } });
  const workspace_id = String(asObject(workspace.body.data).id);
  const { body } = await managed(gateway, {
    call: "POST /connect/clients",
    body: { name: "App", workspace_id },
  });
  const token = String(body.secret);
  const id = String(asObject(body.data).id);
  await managed(gateway, { call: `POST /connect/clients/${id}/rotate`, body: { overlap_seconds: 60 } });
  const { record } = await userKey(gateway, { token });
  assert.equal(record.workspace_id, workspace_id);
  assert.equal((await managed(gateway, { call: "DELETE /workspaces/w" })).status, 400, "an active key");
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true }, token });
  assert.deepEqual((await managed(gateway, { call: "DELETE /workspaces/w" })).body, { deleted: true });
  assert.equal((await managed(gateway, { call: "POST /keys", body: {}, token })).status, 401);
  assert.deepEqual((await managed(gateway, { call: "GET /connect/clients" })).body, {
    data: [],
    total_count: 0,
  });
  assert.deepEqual(await orphansIn(gateway.store), []);
});
