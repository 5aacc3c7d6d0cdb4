/** GET /v1/status says what the gateway has, and not what it might have. */

import assert from "node:assert/strict";
import { containerRig } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { dataOf, operate } from "../support/operate.ts";
import { engines } from "../support/sandbox.ts";

const statusOf = async ({ url, managementKey }: Gateway) =>
  dataOf(await operate({ url, key: managementKey }, { path: "/status" }));

for (const engine of engines) {
  Deno.test(`status names the engine that runs commands, and what has gone wrong with it (${engine})`, async () => {
    await using rig = await containerRig({ env: { TOLLGATE_SANDBOX: engine } });
    await rig.gateway.containers.ready;
    const running = await statusOf(rig.gateway);
    const well = { configured: true, engine, engine_reason: null };
    assert.deepEqual(running.sandbox, { ...well, ok: true, reason: null });
    assert.equal(running.instances, null);
    await rig.keeper.close();
    const ended = (await statusOf(rig.gateway)).sandbox;
    assert.deepEqual(ended, { ...well, ok: false, reason: rig.keeper.problem });
  });
}

Deno.test("status names no sandbox where the settings have switched it off", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_SANDBOX: "off" } });
  const reason = "The operator has switched containers off (TOLLGATE_SANDBOX or sandbox.engine).";
  const none = { engine: null, engine_reason: null };
  assert.deepEqual((await statusOf(gateway)).sandbox, { configured: false, ok: null, reason, ...none });
});

Deno.test("status says that commands cannot run where no keeper was started", async () => {
  await using gateway = await startGateway();
  const { configured, ok, reason } = asObject((await statusOf(gateway)).sandbox);
  assert.deepEqual([configured, ok, reason], [true, false, "This gateway runs without a keeper."]);
});

Deno.test("status names the plugins whose service is not set up, until it is", async () => {
  const reasons = async (options: GatewayOptions) => {
    await using gateway = await startGateway(options);
    const told = asList((await statusOf(gateway)).plugins).map(asObject);
    return Object.fromEntries(told.map(({ id, reason }) => [String(id), String(reason)]));
  };
  const none = await reasons({});
  assert.deepEqual(Object.keys(none).toSorted(), ["moderation", "switchyard-router", "web"]);
  assert.match(none.moderation ?? "", /has no service.*set moderation in the configuration file/);
  assert.match(none.web ?? "", /has no search engine here/);
  const all = await reasons({
    env: { EXA_API_KEY: "key", TOLLGATE_LOCAL: "on" },
    file: { moderation: { wire: "openai", model: "local/moderator" } },
  });
  assert.deepEqual(Object.keys(all), ["switchyard-router"]);
});
