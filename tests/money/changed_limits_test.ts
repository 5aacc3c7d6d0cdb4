/** Limits that are changed while requests are under way: they are read when money is reserved, and while waiting. */

import assert from "node:assert/strict";
import type { Store } from "../../server/storage/stores/store.ts";
import { bindStore } from "../../server/storage/stores/bound_store.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, type Script, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { call, price, pricedAt, receiptOf } from "./rig.ts";

const answer = says("chat", "one two three");

/** A provider whose answers wait until the test lets them go. */
function held() {
  const waiting: (() => void)[] = [];
  const script: Script = async (requested, number) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return await answer(requested, number);
  };
  const provider = scripted(script);
  /** Lets those answer that were asked so far. */
  const release = () => waiting.splice(0).forEach((go) => go());
  return {
    ...provider,
    release,
    [Symbol.asyncDispose]: () => {
      release();
      return provider.close();
    },
  };
}

/** A call of 300 tokens that may cost some 800 millionths of a USD, of which a limit of 0.001 has room for one. */
const CAP = 300;

/** Resolves when so many reservations wait for money under a key's limit. */
async function waitingFor({ ledger }: Gateway, expected: number): Promise<void> {
  await until(() => ledger.waiting === expected, { what: `${expected} waiting` });
}

interface Rig {
  readonly gateway: Gateway;
  readonly hash: string;
  readonly key: string;
}

async function limited(gateway: Gateway, limit: number): Promise<Rig> {
  const { key, record } = await createKey(gateway, { limit });
  return { gateway, key, hash: record.hash };
}

async function setLimit({ gateway, hash }: Pick<Rig, "gateway" | "hash">, limit: number | null) {
  const { status } = await managed(gateway, { call: `PATCH /keys/${hash}`, body: { limit } });
  assert.equal(status, 200);
}

Deno.test("a lowered limit refuses requests that wait for money, at once", async () => {
  await using provider = held();
  await using gateway = await startGateway({ providers: [pricedAt(provider.baseUrl, { wire: "chat" })] });
  const rig = await limited(gateway, 0.001);
  const first = call(gateway, { key: rig.key, cap: CAP });
  await until(() => provider.requested.length === 1, { what: "the first call is made" });
  const others = Array.from({ length: 5 }, () => call(gateway, { key: rig.key, cap: CAP }));
  await waitingFor(gateway, 5);
  await setLimit(rig, 0.00001);
  for (const response of await Promise.all(others)) {
    assert.equal(response.status, 402, await response.text());
  }
  provider.release();
  assert.equal((await first).status, 200);
  await (await first).body?.cancel();
  assert.equal(provider.requested.length, 1);
});

Deno.test("a raised limit serves requests that wait for money, and so does one that is taken away", async () => {
  for (const raised of [0.01, null]) {
    await using provider = held();
    await using gateway = await startGateway({ providers: [pricedAt(provider.baseUrl, { wire: "chat" })] });
    const rig = await limited(gateway, 0.001);
    const calls = Array.from({ length: 4 }, () => call(gateway, { key: rig.key, cap: CAP }));
    await waitingFor(gateway, 3);
    await setLimit(rig, raised);
    await until(() => provider.requested.length === 4, {
      what: "all are called while the first is still open",
    });
    provider.release();
    for (const response of await Promise.all(calls)) {
      assert.equal(response.status, 200, await response.text());
    }
  }
});

Deno.test("a limit that is lowered while a first provider fails binds the next call of the request", async () => {
  const gate = Promise.withResolvers<void>();
  await using failing = scripted(async () => {
    await gate.promise;
    return new Response("{}", { status: 500 });
  });
  await using second = scripted(answer);
  const models = [{ id: "mock/model", upstream_id: "m", max_output_tokens: 20_000, pricing: price }];
  await using gateway = await startGateway({
    providers: [
      providerAt(failing.baseUrl, { wire: "chat", models }),
      providerAt(second.baseUrl, { id: "second", name: "Second", wire: "chat", models }),
    ],
  });
  const rig = await limited(gateway, 1);
  const more = { provider: { order: ["mock", "second"] } };
  const response = call(gateway, { key: rig.key, cap: CAP, more });
  await until(() => failing.requested.length === 1, { what: "the first provider is called" });
  await setLimit(rig, 0);
  gate.resolve();
  assert.equal((await response).status, 502, await (await response).text());
  assert.equal(second.requested.length, 0, "no money is left for it");
});

Deno.test("a budget that is set while a request is under way counts what it has cost", async () => {
  await using provider = held();
  await using gateway = await startGateway({ providers: [pricedAt(provider.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const first = call(gateway, { key, cap: CAP });
  await until(() => provider.requested.length === 1, { what: "the call is made" });
  const budget = { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: 0.001 } };
  assert.equal((await managed(gateway, budget)).status, 200);
  const second = call(gateway, { key, cap: CAP });
  await waitingFor(gateway, 1);
  provider.release();
  await until(() => provider.requested.length === 2, {
    what: "the second is called when the first has ended",
  });
  provider.release();
  for (const response of await Promise.all([first, second])) {
    assert.equal((await receiptOf(gateway, response)).status, "completed");
    await response.body?.cancel();
  }
});

/** Several processes on a store that tells nobody of changes. */
function silent(store: Store): Store {
  return { ...bindStore(store), listen: undefined };
}

for (const signals of [true, false]) {
  const kind = signals ? "with signals" : "without signals";
  Deno.test(`a limit that another instance changes reaches those that wait here (${kind})`, async () => {
    await using provider = held();
    const inner = memoryStore();
    const store = signals ? inner : silent(inner);
    const providers = [pricedAt(provider.baseUrl, { wire: "chat" })];
    await using gateway = await startGateway({ providers, store, shared: true });
    await using other = await startGateway({ providers, beside: gateway });
    const rig = await limited(gateway, 0.001);
    const first = call(gateway, { key: rig.key, cap: CAP });
    await until(() => provider.requested.length === 1, { what: "the first call is made" });
    const second = call(gateway, { key: rig.key, cap: CAP });
    await waitingFor(gateway, 1);
    await setLimit({ gateway: other, hash: rig.hash }, 0.01);
    await until(() => provider.requested.length === 2, {
      what: "the second is called while the first is open",
    });
    const third = call(gateway, { key: rig.key, cap: 20_000 });
    await waitingFor(gateway, 1);
    await setLimit({ gateway: other, hash: rig.hash }, 0.00001);
    assert.equal((await third).status, 402, await (await third).text());
    provider.release();
    for (const response of await Promise.all([first, second])) assert.equal(response.status, 200);
    for (const response of await Promise.all([first, second])) await response.body?.cancel();
  });
}
