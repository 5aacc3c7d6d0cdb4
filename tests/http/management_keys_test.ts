import assert from "node:assert/strict";
import { managementKeySchema } from "../../shared/management/management_keys.ts";
import { readError } from "../support/call.ts";
import { asList } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";

interface Made {
  readonly hash: string;
  readonly key: string;
}

async function make(gateway: Gateway, fields: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const { status, body } = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "More", ...fields },
  });
  assert.equal(status, 201);
  return { hash: managementKeySchema.strict().parse(body.data).hash, key: String(body.key) };
}

async function firstOf(gateway: Gateway): Promise<string> {
  const { body } = await managed(gateway, { call: "GET /management-keys" });
  const rows = managementKeySchema.array().parse(body.data);
  return rows.find(({ name }) => name === "First management key")?.hash ?? "";
}

Deno.test("POST /management-keys makes a key that manages, and one that only looks", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway);
  const full = await make(gateway);
  const reader = await make(gateway, { read_only: true });
  const path = `/keys/${record.hash}`;
  const patch = (token: string) => managed(gateway, { call: `PATCH ${path}`, body: { name: "N" }, token });
  assert.equal((await patch(full.key)).status, 200);
  // The specification lists no 403 for this operation.
  assert.equal((await patch(reader.key)).status, 401);
  const calls = [
    ["GET /keys", 200],
    [`GET ${path}`, 200],
    ["GET /audit", 200],
    ["GET /management-keys", 200],
    [
      "POST /keys",
      403,
    ],
    [`DELETE ${path}`, 403],
    [`PUT ${path}/rate-limits`, 403],
    [`POST ${path}/rotate`, 403],
    [
      "POST /management-keys",
      403,
    ],
  ] as const;
  for (const [call, status] of calls) {
    const body = call.startsWith("P") ? {} : undefined;
    assert.equal((await managed(gateway, { call, body, token: reader.key })).status, status, call);
  }
});

Deno.test("PATCH and DELETE /management-keys leave one that can do everything", async () => {
  await using gateway = await startGateway();
  const first = await firstOf(gateway);
  const day = new Date(gateway.clock.now() + 86_400_000).toISOString();
  await make(gateway, { read_only: true });
  const off = await make(gateway);
  await managed(gateway, { call: `PATCH /management-keys/${off.hash}`, body: { disabled: true } });
  const refused = [{ disabled: true }, { read_only: true }, { expires_at: day }, {
    name: "N",
    disabled: true,
  }];
  for (const body of refused) {
    const error = await readError(
      await manage(gateway, { call: `PATCH /management-keys/${first}`, body }),
    );
    assert.equal(error.status, 400);
    assert.match(error.message, /Cannot update management key: it is the last management key/);
  }
  const kept = await readError(await manage(gateway, { call: `DELETE /management-keys/${first}` }));
  assert.match(kept.message, /Cannot delete management key: it is the last/);
  const renamed = await managed(gateway, {
    call: `PATCH /management-keys/${first}`,
    body: { name: "Mine", expires_at: null, disabled: false },
  });
  assert.equal(renamed.status, 200);
  await managed(gateway, { call: `PATCH /management-keys/${off.hash}`, body: { disabled: false } });
  const gone = await managed(gateway, { call: `DELETE /management-keys/${first}`, token: off.key });
  assert.deepEqual(gone.body, { deleted: true });
  assert.equal((await managed(gateway, { call: "GET /keys" })).status, 401);
});

Deno.test("DELETE /management-keys leaves one of ten that are deleted, disabled and limited at once", async () => {
  for (let round = 0; round < 5; round++) {
    await using gateway = await startGateway();
    const day = new Date(gateway.clock.now() + 86_400_000).toISOString();
    const made = [];
    for (let at = 0; at < 9; at++) made.push((await make(gateway)).hash);
    const reader = await make(gateway, { read_only: true });
    const first = await firstOf(gateway);
    const [one = "", other = "", ...rest] = made;
    // All changes come with keys that stay until the end, so that each is judged by the guard alone.
    const answers = await Promise.all(
      [first, ...rest, one, other].map((hash, at) =>
        manage(
          gateway,
          at % 3 === 0 ? { call: `DELETE /management-keys/${hash}` } : {
            call: `PATCH /management-keys/${hash}`,
            body: at % 3 === 1 ? { disabled: true } : { read_only: true, expires_at: day },
          },
        ).then(async (response) => {
          await response.body?.cancel();
          return response.status;
        })
      ),
    );
    assert(answers.includes(200));
    const { body } = await managed(gateway, { call: "GET /management-keys?limit=100", token: reader.key });
    const full = managementKeySchema.array().parse(body.data).filter((key) =>
      !key.disabled && !key.read_only && key.expires_at === null
    );
    assert(full.length >= 1, "somebody can still manage");
  }
});

Deno.test("/management-keys knows no API key, and answers what is not there with 404", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway);
  for (const hash of [record.hash, "0".repeat(64), "x"]) {
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      const error = await readError(
        await manage(gateway, { call: `${method} /management-keys/${hash}`, body }),
      );
      assert.deepEqual([error.status, error.message], [
        404,
        "There is no management key with this hash.",
      ]);
    }
  }
});

Deno.test("GET /audit lists each change with who made it, and no secret", async () => {
  await using gateway = await startGateway();
  const { record, key } = await createKey(gateway, { limit: 3 });
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: {} });
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 4 } });
  await managed(gateway, { call: `PUT /keys/${record.hash}/rate-limits`, body: { requests_per_minute: 5 } });
  await managed(gateway, { call: `DELETE /keys/${record.hash}` });
  const client = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  const { body } = await managed(gateway, { call: `GET /audit?subject_id=${record.hash}` });
  const rows = asList(body.data).map((row) => JSON.parse(JSON.stringify(row)));
  assert.deepEqual(rows.map(({ operation }) => operation), [
    "keys.delete",
    "keys.rate_limits.set",
    "keys.update",
    "keys.create",
  ]);
  const [, , update] = rows;
  assert.deepEqual([update.before.limit, update.after.limit, update.actor.kind], [3, 4, "management"]);
  assert.match(update.request_id, /^req_[0-9a-f]{32}$/);
  const whole = JSON.stringify((await managed(gateway, { call: "GET /audit" })).body);
  for (const secret of [key, String(client.body.secret), gateway.managementKey]) {
    assert(!whole.includes(secret));
  }
  const second = await managed(gateway, { call: "GET /audit?offset=1&limit=1&operation=keys.create" });
  assert.deepEqual(second.body, { data: [], total_count: 1, scanned_until: null });
  const early = await managed(gateway, { call: "GET /audit?until=2020-01-01T00:00:00Z" });
  assert.equal(early.body.total_count, 0);
  const late = await managed(gateway, { call: "GET /audit?since=2020-01-01T00:00:00Z&subject_type=client" });
  assert.equal(late.body.total_count, 1);
});
