/** Sessions of the console (SECURITY.md, Console). */

import assert from "node:assert/strict";
import { sessionCollection } from "../../server/api/console/session_rows.ts";
import { auditCollection } from "../../server/management/audit/audit_log.ts";
import { ConsoleClient, errorMetadata, signedIn } from "../support/console_client.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

const MINUTE = 60_000;

/** A gateway whose time the test moves. */
async function withMovedTime(
  run: (gateway: Gateway, advance: (ms: number) => void) => Promise<void>,
): Promise<void> {
  const fake = fakeClock();
  await using gateway = await startGateway({ clock: fake });
  await run(gateway, (ms) => fake.leap(ms));
}

async function reasonOf(client: ConsoleClient): Promise<unknown> {
  const refused = await client.answer({ call: "GET /api/keys" });
  assert.equal(refused.status, 401);
  const { body } = await client.answer({ call: "GET /session" });
  assert.equal(body.data, null);
  assert.equal(errorMetadata(refused).reason, body.reason);
  return body.reason;
}

Deno.test("a management key, a read-only one and an API key sign in, each as what it is", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "Looks", read_only: true },
  });
  const kinds = [
    [gateway.managementKey, "management", false],
    [String(body.key), "management", true],
    [gateway.apiKey, "api", false],
  ] as const;
  for (const [key, kind, readOnly] of kinds) {
    const { session } = await signedIn(gateway, key);
    assert.deepEqual([session?.kind, session?.read_only], [kind, readOnly]);
    assert.equal(session?.workspace_id === null, kind === "management");
  }
});

Deno.test("the cookie is bound to this host, to HTTP and to the same site; __Host- and Secure over TLS", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_TRUST_PROXY: "1" } });
  const body = { key: gateway.managementKey };
  const plain = await new ConsoleClient(gateway).send({ call: "POST /session", body });
  assert.match(
    plain.headers.get("set-cookie") ?? "",
    /^tollgate=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
  );
  const client = new ConsoleClient(gateway, "https://gateway.example");
  const secure = await client.send({
    call: "POST /session",
    body,
    headers: { "x-forwarded-proto": "https" },
  });
  assert.match(
    secure.headers.get("set-cookie") ?? "",
    /^__Host-tollgate=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=28800$/,
  );
  assert.equal(secure.headers.get("strict-transport-security"), "max-age=31536000");
  await Promise.all([plain.body?.cancel(), secure.body?.cancel()]);
});

Deno.test("plain HTTP on another host is refused with a sentence about TLS", async () => {
  await using gateway = await startGateway();
  const client = new ConsoleClient(gateway, "http://gateway.example");
  for (const headers of [{}, { "x-forwarded-proto": "https" }]) {
    const { status, body } = await client.answer({
      call: "POST /session",
      body: { key: gateway.managementKey },
      headers,
    });
    assert.equal(status, 403);
    assert.match(JSON.stringify(body), /TLS.*TOLLGATE_TRUST_PROXY/);
  }
});

Deno.test("an address that fails five times in a minute waits with wrong keys, and the right one signs in", () =>
  withMovedTime(async (gateway, advance) => {
    const client = new ConsoleClient(gateway);
    for (const left of [4, 3, 2, 1, 0]) {
      const refused = await client.answer({ call: "POST /session", body: { key: "tg-mgmt-wrong" } });
      assert.deepEqual([refused.status, errorMetadata(refused).attempts_left], [401, left]);
    }
    const wrong = { key: "tg-mgmt-wrong" };
    const waits = await client.answer({ call: "POST /session", body: wrong });
    assert.deepEqual([waits.status, waits.headers.get("retry-after")], [429, "60"]);
    const body = { key: gateway.managementKey };
    assert.equal((await client.answer({ call: "POST /session", body })).status, 201);
    assert.equal((await client.answer({ call: "POST /session", body: wrong })).status, 429);
    const elsewhere = new ConsoleClient(gateway);
    const other = await elsewhere.answer({ call: "POST /session", body: wrong, peer: "192.0.2.7" });
    assert.equal(other.status, 401);
    advance(MINUTE);
    assert.equal((await client.answer({ call: "POST /session", body: wrong })).status, 401);
  }));

Deno.test("attempts at the same time count as those one after the other do", () =>
  withMovedTime(async (gateway) => {
    const body = { key: "tg-mgmt-wrong" };
    const all = await Promise.all(
      Array.from({ length: 40 }, () => new ConsoleClient(gateway).answer({ call: "POST /session", body })),
    );
    assert.equal(all.filter(({ status }) => status === 401).length, 5);
    assert.equal(all.filter(({ status }) => status === 429).length, 35);
  }));

Deno.test("sign-ins at the same time open no more sessions than a key may have", () =>
  withMovedTime(async (gateway) => {
    const body = { key: gateway.managementKey };
    const peer = (at: number) => `192.0.${at}.7`;
    const all = await Promise.all(
      Array.from(
        { length: 30 },
        (_, at) => new ConsoleClient(gateway).answer({ call: "POST /session", body, peer: peer(at) }),
      ),
    );
    assert.ok(all.every(({ status }) => status === 201));
    assert.equal((await sessionCollection(gateway.store).list({ limit: 100 })).length, 20);
  }));

Deno.test("a session ends 30 minutes after its last use and 8 hours after it began", () =>
  withMovedTime(async (gateway, advance) => {
    const idle = await signedIn(gateway);
    const used = await signedIn(gateway);
    for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
      advance(20 * MINUTE);
      assert.equal((await used.answer({ call: "GET /api/keys" })).status, 200, `after ${minutes} minutes`);
    }
    assert.equal(await reasonOf(idle), "idle");
    advance(20 * MINUTE);
    assert.equal(await reasonOf(used), "expired");
  }));

Deno.test("a session ends with its key: disabled, deleted, rotated, expired", () =>
  withMovedTime(async (gateway, advance) => {
    const hour = { expires_at: new Date(gateway.clock.now() + 60 * MINUTE).toISOString() };
    const [disabled, deleted, rotated, expiring] = await Promise.all(
      [{}, {}, {}, hour].map((fields) => createKey(gateway, fields)),
    );
    assert(disabled && deleted && rotated && expiring);
    const clients = await Promise.all(
      [disabled, deleted, rotated, expiring].map(({ key }) => signedIn(gateway, key)),
    );
    for (const client of clients) assert.equal((await client.answer({ call: "GET /api/key" })).status, 200);
    const at = ({ record }: typeof disabled) => `/keys/${record.hash}`;
    await managed(gateway, { call: `PATCH ${at(disabled)}`, body: { disabled: true } });
    await managed(gateway, { call: `DELETE ${at(deleted)}` });
    await managed(gateway, { call: `POST ${at(rotated)}/rotate`, body: { overlap_seconds: 3_600 } });
    for (const client of clients.slice(0, 3)) assert.equal(await reasonOf(client), "key");
    advance(25 * MINUTE);
    assert.equal((await clients[3]?.answer({ call: "GET /api/key" }))?.status, 200);
    advance(25 * MINUTE);
    assert.equal((await clients[3]?.answer({ call: "GET /api/key" }))?.status, 200);
    advance(15 * MINUTE);
    assert(clients[3]);
    assert.equal(await reasonOf(clients[3]), "key");
  }));

Deno.test("signing out ends the session and clears the cookie", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const { status, headers } = await client.answer({ call: "DELETE /session" });
  assert.equal(status, 200);
  assert.match(headers.get("set-cookie") ?? "", /^tollgate=; .*Max-Age=0$/);
  assert.equal(await reasonOf(client), "ended");
  client.cookie = undefined;
  assert.equal(await reasonOf(client), "none");
});

Deno.test("managers list and end every session, key holders those of their key", async () => {
  await using gateway = await startGateway();
  const { key } = await createKey(gateway);
  const manager = await signedIn(gateway);
  const holder = await signedIn(gateway, gateway.apiKey);
  const other = await signedIn(gateway, key);
  const idsOf = async (client: ConsoleClient) => {
    const { body } = await client.answer({ call: "GET /sessions" });
    assert(Array.isArray(body.data));
    return body.data.map(({ id }) => id).sort();
  };
  const ids = [manager, holder, other].map(({ session }) => session?.id);
  assert.deepEqual(await idsOf(manager), ids.toSorted());
  assert.deepEqual(await idsOf(holder), [holder.session?.id]);
  const foreign = await holder.answer({ call: `DELETE /sessions/${other.session?.id}` });
  assert.equal(foreign.status, 404);
  assert.equal((await manager.answer({ call: `DELETE /sessions/${other.session?.id}` })).status, 200);
  assert.equal(await reasonOf(other), "ended");
  assert.equal((await holder.answer({ call: "GET /api/key" })).status, 200);
});

Deno.test("all other sessions end together: a manager's call ends every one, others those of their key", async () => {
  await using gateway = await startGateway();
  const fields = { name: "Looks", read_only: true };
  const { body } = await managed(gateway, { call: "POST /management-keys", body: fields });
  const reading = String(body.key);
  const open = async () => {
    const keys = [
      gateway.managementKey,
      gateway.managementKey,
      reading,
      reading,
      gateway.apiKey,
      gateway.apiKey,
    ];
    return await Promise.all(keys.map((key) => signedIn(gateway, key)));
  };
  const holds = (client: ConsoleClient) => client.answer({ call: "GET /session" });
  for (const [caller, ended] of [[0, 5], [2, 1], [4, 1]] as const) {
    const clients = await open();
    const answer = await clients[caller]?.answer({ call: "DELETE /sessions" });
    assert.deepEqual([answer?.status, answer?.body.data], [200, { ended }], `client ${caller}`);
    const left = await Promise.all(clients.map(async (client) => (await holds(client)).body.data !== null));
    assert.deepEqual(left.filter(Boolean).length, clients.length - ended);
    assert.equal(left[caller], true, "the own session stays");
    const last = await signedIn(gateway);
    await last.answer({ call: "DELETE /sessions" });
    await last.answer({ call: "DELETE /session" });
  }
  const nobody = new ConsoleClient(gateway);
  assert.equal((await nobody.answer({ call: "DELETE /sessions" })).status, 401);
});

Deno.test("a manager's new link signs in once with the manager's key; nobody else gets one", async () => {
  await using gateway = await startGateway();
  const fields = { name: "Looks", read_only: true };
  const { body } = await managed(gateway, { call: "POST /management-keys", body: fields });
  const manager = await signedIn(gateway);
  const answer = await manager.answer({ call: "POST /session/link" });
  assert.equal(answer.status, 201);
  const { token } = asObject(answer.body.data);
  const client = new ConsoleClient(gateway);
  const session = await client.signIn({ token: String(token) });
  assert.deepEqual([session.kind, session.key_hash], ["management", manager.session?.key_hash]);
  const again = await client.answer({ call: "POST /session", body: { token } });
  assert.equal(again.status, 401);
  const withoutCsrf = { call: "POST /session/link", headers: { "x-csrf": undefined } };
  assert.equal((await manager.answer(withoutCsrf)).status, 403);
  for (const key of [String(body.key), gateway.apiKey]) {
    const other = await signedIn(gateway, key);
    assert.equal((await other.answer({ call: "POST /session/link" })).status, 403);
  }
  assert.equal((await new ConsoleClient(gateway).answer({ call: "POST /session/link" })).status, 401);
});

Deno.test("the 21st session of a key ends its first", () =>
  withMovedTime(async (gateway, advance) => {
    const first = await signedIn(gateway);
    for (let more = 0; more < 19; more++) {
      advance(1);
      await signedIn(gateway);
    }
    assert.equal((await first.answer({ call: "GET /api/keys" })).status, 200);
    await signedIn(gateway);
    assert.equal(await reasonOf(first), "ended");
  }));

Deno.test("the link of the first start signs in once, within ten minutes, on this machine", () =>
  withMovedTime(async (gateway, advance) => {
    const client = new ConsoleClient(gateway);
    const tryToken = async (token: string, peer?: string) =>
      (await client.answer({ call: "POST /session", body: { token }, peer })).status;
    const token = await gateway.signInToken();
    assert.equal(await tryToken(token, "192.0.2.7"), 401);
    assert.equal(await tryToken(token), 201);
    assert.equal(await tryToken(token), 401);
    const late = await gateway.signInToken();
    advance(10 * MINUTE);
    assert.equal(await tryToken(late), 401);
    assert.equal(await tryToken("not-a-token"), 401);
  }));

Deno.test("a repeated Idempotency-Key gives the same key again, and only to the same session", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const call = {
    call: "POST /api/keys",
    body: { name: "Once" },
    headers: { "idempotency-key": "only-once" },
  };
  const [first, second] = [await client.answer(call), await client.answer(call)];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(second.body.key, first.body.key);
  const other = await signedIn(gateway);
  assert.notEqual((await other.answer(call)).body.key, first.body.key);
});

Deno.test("the audit log names the key and the session behind a change", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const { status } = await client.answer({ call: "POST /api/keys", body: { name: "Made here" } });
  assert.equal(status, 201);
  const rows = await auditCollection(gateway.store).list();
  const actor = rows.find(({ record }) => record.operation === "keys.create")?.record.actor;
  assert.deepEqual(actor, {
    kind: "management",
    key_hash: client.session?.key_hash,
    session: client.session?.id,
  });
});

Deno.test("another instance on the same store takes the session and hears of its end", async () => {
  await using gateway = await startGateway({ shared: true });
  await using beside = await startGateway({ beside: gateway });
  const client = await signedIn(gateway);
  const there = new ConsoleClient(beside);
  [there.cookie, there.session] = [client.cookie, client.session];
  assert.equal((await there.answer({ call: "GET /api/keys" })).status, 200);
  await there.answer({ call: "DELETE /session" });
  assert.equal(await reasonOf(client), "ended");
});
