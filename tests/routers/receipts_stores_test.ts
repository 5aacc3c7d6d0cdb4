/** Receipts as evidence over restarts, and over gateways that share a store. */

import assert from "node:assert/strict";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { openPostgres } from "../../server/storage/stores/postgres/open_postgres.ts";
import { createRuntime } from "../../server/runtime.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { hasPostgres, sharedPostgres } from "../support/postgres.ts";
import { addressOf } from "../support/store_address.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { providersAt, routed, vote, withTraffic } from "./receipts_rig.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const runtime = { clock: tickingClock(), randomToken: createRuntime(silent).randomToken };

async function routerOf(gateway: Gateway, key: string) {
  await gateway.renewEvidence();
  return (await routed(gateway, { key })).router;
}

Deno.test({
  name: "votes outlast a restart, and count together with those after it",
  // The shared timer of the real clock ends with its next tick.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const env = { TOLLGATE_MANAGEMENT_KEY: "receipts-management-key-of-32-characters" };
      const first = await withTraffic({ env, store: await openEmbedded(folder, { runtime }) });
      const { keys } = first;
      await vote(first.gateway, { keys, count: 19 });
      await first[Symbol.asyncDispose]();
      await using second = await withTraffic({ env, store: await openEmbedded(folder, { runtime }) });
      assert.equal((await routerOf(second.gateway, keys[0] ?? "")).evidence, "price");
      await vote(second.gateway, { keys, count: 1 });
      assert.equal((await routerOf(second.gateway, keys[0] ?? "")).evidence, "receipts");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "two gateways on one PostgreSQL agree on what their votes say, once each has read them",
  ignore: !hasPostgres(),
  // The server goes with the process.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const address = addressOf(await (await sharedPostgres()).createDatabase());
    const opened = async () => ({ store: await openPostgres(address, { runtime }), shared: true });
    await using one = await withTraffic(await opened());
    const { keys, gateway, upstream } = one;
    await using other = await startGateway({ providers: providersAt(upstream), ...await opened() });
    const [key = ""] = keys;
    const both = async () => [await routerOf(gateway, key), await routerOf(other, key)] as const;
    // At the same time, so that their batches alternate.
    const send = (model: string, count: number) =>
      Promise.all([gateway, other].map((each) => vote(each, { keys, count, model })));
    await send("acme/dear", 6);
    await send("acme/middle", 3);
    assert.deepEqual((await both()).map(({ evidence }) => evidence), ["price", "price"]);
    await vote(gateway, { keys, count: 1, model: "acme/middle" });
    await vote(other, { keys, count: 1, model: "acme/middle" });
    const [here, there] = await both();
    assert.equal(here.evidence, "receipts");
    assert.deepEqual(here, there);
  },
});
