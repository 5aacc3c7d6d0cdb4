/** `ETag` and `If-Match` of keys and workspaces: nobody overwrites what somebody else has changed meanwhile. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt } from "../money/rig.ts";

async function pathsOf(gateway: Gateway): Promise<readonly string[]> {
  const { record } = await createKey(gateway);
  await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  return [`/keys/${record.hash}`, "/workspaces/lab"];
}

const patch = (gateway: Gateway, path: string, { body, ifMatch }: { body: Json; ifMatch?: string }) =>
  managed(gateway, {
    call: `PATCH ${path}`,
    body,
    headers: ifMatch === undefined ? {} : { "if-match": ifMatch },
  });

Deno.test("a change of an older version is refused and changes nothing", async () => {
  await using gateway = await startGateway();
  for (const path of await pathsOf(gateway)) {
    const read = async () => {
      const { body, headers } = await managed(gateway, { call: `GET ${path}` });
      return { name: asObject(body.data).name, etag: headers.get("etag") ?? "" };
    };
    const first = await read();
    assert.match(first.etag, /^"[\w-]{22}"$/, path);
    const changed = await patch(gateway, path, { body: { name: "Two" }, ifMatch: first.etag });
    assert.equal(changed.status, 200, path);
    const second = await read();
    assert.equal(changed.headers.get("etag"), second.etag, path);
    assert.notEqual(second.etag, first.etag);
    const refused = await patch(gateway, path, { body: { name: "Three" }, ifMatch: first.etag });
    assert.equal(refused.status, 400);
    assert.equal(asObject(asObject(refused.body.error).metadata).conflict, true);
    assert.deepEqual(await read(), second);
    for (const ifMatch of ["*", `"other", ${second.etag}`, undefined]) {
      const passed = await patch(gateway, path, { body: { name: "Two" }, ifMatch });
      assert.equal(passed.status, 200, `${path} ${ifMatch}`);
    }
    assert.equal((await patch(gateway, path, { body: { name: "4" }, ifMatch: "W/x" })).status, 400);
  }
});

Deno.test("of changes that name the same version at once exactly one is made", async () => {
  await using gateway = await startGateway();
  for (const path of await pathsOf(gateway)) {
    const { headers } = await managed(gateway, { call: `GET ${path}` });
    const ifMatch = headers.get("etag") ?? "";
    const names = Array.from({ length: 8 }, (_, at) => `Name ${at}`);
    const answers = await Promise.all(names.map((name) => patch(gateway, path, { body: { name }, ifMatch })));
    const made = names.filter((_, at) => answers[at]?.status === 200);
    assert.equal(made.length, 1, path);
    const { body } = await managed(gateway, { call: `GET ${path}` });
    assert.equal(asObject(body.data).name, made[0]);
  }
});

Deno.test("spend changes no version", async () => {
  await using upstream = scripted(says("chat", "Hello"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key, record } = await createKey(gateway, { limit: 5 });
  const tag = async () => (await managed(gateway, { call: `GET /keys/${record.hash}` })).headers.get("etag");
  const before = await tag();
  await (await call(gateway, { key })).text();
  await gateway.ledger.caughtUp();
  assert.equal(await tag(), before);
});
