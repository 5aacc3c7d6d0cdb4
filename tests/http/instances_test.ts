import assert from "node:assert/strict";
import { fakeClock, turns } from "../support/clock.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

/** Status of a request that nothing but the gateway's memory answers. */
async function statusAt(gateway: Gateway, token: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  await response.body?.cancel();
  return response.status;
}

Deno.test("a key that one instance makes, disables or deletes is so on another within a second", async () => {
  const clock = fakeClock();
  await using one = await startGateway({ shared: true, clock: fakeClock() });
  await using other = await startGateway({ beside: one, clock });
  const { record, key } = await createKey(one);
  assert.equal(await statusAt(other, key), 200);
  const path = `/keys/${record.hash}`;
  for (
    const [call, body, status] of [
      [`PATCH ${path}`, { disabled: true }, 401],
      [`PATCH ${path}`, { disabled: false }, 200],
      [`DELETE ${path}`, undefined, 401],
    ] as const
  ) {
    await managed(one, { call, body });
    assert.equal(await statusAt(one, key), status, "at once where it was done");
    await clock.advanceOnce(turns, 1_000);
    assert.equal(await statusAt(other, key), status, call);
  }
});

Deno.test("a key that was unknown to an instance is known to it within a second of being made elsewhere", async () => {
  const clock = fakeClock();
  await using one = await startGateway({ shared: true, clock: fakeClock() });
  await using other = await startGateway({ beside: one, clock });
  const { body } = await managed(one, { call: "POST /connect/clients", body: { name: "App" } });
  const text = "chosen-by-the-operator-0123456789-abc";
  assert.equal(await statusAt(other, text), 401);
  const external = { user: "ada", api_key: text };
  await managed(one, { call: "POST /keys", body: { name: "x", external }, token: String(body.secret) });
  await clock.advanceOnce(turns, 1_000);
  assert.equal(await statusAt(other, text), 200);
});

Deno.test("a key of the environment that takes another's place at a start does so on all instances", async () => {
  const clock = fakeClock();
  await using one = await startGateway({ shared: true, clock });
  for (const token of [one.apiKey, one.managementKey]) assert.equal(await statusAt(one, token), 200);
  const env = {
    TOLLGATE_API_KEY: "chosen-by-the-operator-0123456789-api",
    TOLLGATE_MANAGEMENT_KEY: "chosen-by-the-operator-0123456789-mgmt",
  };
  for (const token of Object.values(env)) assert.equal(await statusAt(one, token), 401);
  await using other = await startGateway({ beside: one, clock: fakeClock(), env });
  await clock.advanceOnce(turns, 1_000);
  for (const token of [one.apiKey, one.managementKey]) assert.equal(await statusAt(one, token), 401);
  for (const token of Object.values(env)) {
    for (const gateway of [one, other]) assert.equal(await statusAt(gateway, token), 200);
  }
});
