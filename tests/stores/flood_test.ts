import assert from "node:assert/strict";
import { bindStore } from "../../server/storage/stores/bound_store.ts";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store, StoreKey } from "../../server/storage/stores/store.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { bearer } from "../support/bad_credentials.ts";

/** The store, and the hashes that it is asked for as keys. */
function watched(inner: Store) {
  const requested: string[] = [];
  const note = (keys: readonly StoreKey[]) => {
    for (const [name, hash] of keys) if (name === "keys") requested.push(String(hash));
  };
  const store: Store = {
    ...bindStore(inner),
    get: (key) => {
      note([key]);
      return inner.get(key);
    },
    getMany: (keys) => {
      note(keys);
      return inner.getMany(keys);
    },
  };
  return { store, asked: requested };
}

const embedded = async () => denoKvStore({ kv: await Deno.openKv(":memory:"), clock: fakeClock() });

async function statusOf({ url }: Gateway, token: string): Promise<number> {
  const answer = await fetch(`${url}/v1/key`, { headers: bearer(token) });
  await answer.body?.cancel();
  return answer.status;
}

/** So many keys that nobody has, some at a time. */
async function flood(gateway: Gateway, { count, name }: { readonly count: number; readonly name: string }) {
  for (let at = 0; at < count; at += 50) {
    const tokens = Array.from({ length: 50 }, (_, index) => `tg-api-${name}-${at + index}`);
    const statuses = await Promise.all(tokens.map((token) => statusOf(gateway, token)));
    assert.ok(statuses.every((status) => status === 401));
  }
}

/** A key of each kind, made in each way that there is. */
async function newKeys(gateway: Gateway, own: string): Promise<readonly (readonly [string, string])[]> {
  const made = await createKey(gateway);
  const old = await createKey(gateway);
  const rotated = await managed(gateway, {
    call: `POST /keys/${old.record.hash}/rotate`,
    body: { overlap_seconds: 60 },
  });
  const management = await managed(gateway, { call: "POST /management-keys", body: { name: "M" } });
  const client = await managed(gateway, { call: "POST /connect/clients", body: { name: "C" } });
  const secret = String(client.body.secret);
  const turned = await managed(gateway, { call: "POST /connect/clients", body: { name: "D" } });
  const again = await managed(gateway, {
    call: `POST /connect/clients/${asObject(turned.body.data).id}/rotate`,
  });
  const users = await managed(gateway, {
    call: "POST /keys",
    token: secret,
    body: { name: "U", external_user: "u", external_api_key: own },
  });
  return [
    ["made", made.key],
    ["old", old.key],
    ["rotated", String(rotated.body.key)],
    ["management", String(management.body.key)],
    ["secret", secret],
    ["secret, rotated", String(again.body.secret)],
    ["of a user", String(users.body.key)],
    ["of a user, chosen by the client", own],
  ];
}

const chosen = (name: string) => `a-key-that-a-client-chose-for-${name}`;

async function assertKnown(gateway: Gateway, keys: Awaited<ReturnType<typeof newKeys>>) {
  for (const [name, token] of keys) {
    const status = await statusOf(gateway, token);
    assert.equal(status, name.startsWith("secret") ? 403 : 200, name);
  }
}

Deno.test("createApp asks an embedded store no more for wrong keys in a flood, and knows each new key", async () => {
  const { store, asked: requested } = watched(await embedded());
  await using gateway = await startGateway({ store });
  const before = await newKeys(gateway, chosen("before"));
  await flood(gateway, { count: 1_100, name: "first" });
  requested.length = 0;
  await flood(gateway, { count: 500, name: "second" });
  assert.ok(requested.length < 5, `${requested.length} of 500 were asked for`);
  await assertKnown(gateway, before);
  await assertKnown(gateway, await newKeys(gateway, chosen("after")));
});

Deno.test("createApp knows a new key at once in a flood when another instance made it", async () => {
  const { store, asked: requested } = watched(memoryStore());
  await using gateway = await startGateway({ store, shared: true });
  await using other = await startGateway({ beside: gateway });
  await flood(gateway, { count: 1_100, name: "first" });
  await assertKnown(gateway, await newKeys(other, chosen("other")));
  requested.length = 0;
  await flood(gateway, { count: 100, name: "second" });
  assert.equal(requested.length, 100);
});
