/** The doctor on moderation: whether its service gives verdicts, and which workspaces have none. */

import assert from "node:assert/strict";
import { moderationProbe } from "../../server/app/compose/moderation.ts";
import { moderationDefaults, moderationService } from "../../server/cli/checks/moderation_check.ts";
import type { ReadOperation } from "../../server/cli/checks/doctor_rows.ts";
import type { DoctorOptions } from "../../server/cli/checks/doctor_options.ts";
import { readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createLogger } from "../../server/logger.ts";
import { createRuntime } from "../../server/runtime.ts";
import { managed } from "../support/manage.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { KEY, moderated, type ModerationRig, setDefaults } from "../plugins/moderation_rig.ts";

const runtime = {
  ...createRuntime(createLogger({ format: "json", level: "error", now: Date.now, write: () => {} })),
  clock: tickingClock(),
};

function optionsOf({ gateway }: ModerationRig, moderation: unknown): DoctorOptions {
  const env: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", MODERATION_KEY: KEY };
  const config = readConfig({
    env: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
    readFile: () => JSON.stringify({ moderation }),
    terminal: false,
  }, providerSettings);
  return {
    config,
    runtime,
    urls: [gateway.url],
    managementKey: gateway.managementKey,
    notBefore: 0,
    requests: 150,
    modeOf: () => 0o40700,
    isRoot: false,
    isElsewhere: false,
    width: 200,
    asJson: false,
    prices: { ages: "", moves: [] },
    scores: { coverage: "coding scores of 9 of 19" },
    retirements: { named: [], others: [] },
    providers: [],
    probe: moderationProbe({ config, runtime }),
  };
}

Deno.test("doctor asks the moderation service for a verdict, with its key", async () => {
  await using rig = await moderated();
  const service = { wire: "openai", base_url: rig.serviceUrl, api_key_env: "MODERATION_KEY" };
  const check = async (changes: object = {}) =>
    await moderationService(optionsOf(rig, { ...service, ...changes }));
  const well = await check();
  assert.deepEqual([well.verdict, well.found], [
    "ok",
    "omni-moderation-latest (omni-moderation-latest) gives verdicts",
  ]);
  assert.equal(rig.judged[0]?.headers.get("authorization"), `Bearer ${KEY}`);
  const faults: readonly (readonly [() => Response, RegExp])[] = [
    [() => new Response("no", { status: 401 }), /gives no verdict, so requests are refused: .*status 401/],
    [() => new Response(null, { status: 302, headers: { location: "/" } }), /status 302/],
    [() => new Response("safe"), /gives no verdict/],
  ];
  for (const [reply, found] of faults) {
    rig.answer(reply);
    const row = await check();
    assert.equal(row.verdict, "failed");
    assert.match(row.found, found);
  }
  assert.match((await check({ fail: "open" })).found, /requests are let through/);
  const simulated = await moderationService(optionsOf(rig, { wire: "openai", model: "local/moderator" }));
  assert.deepEqual([simulated.verdict, /simulated/.test(simulated.found)], ["warning", true]);
  assert.equal((await moderationService(optionsOf(rig, undefined))).verdict, "ok");
});

Deno.test("doctor names workspaces whose default moderation has no service", async () => {
  await using rig = await moderated({ moderation: null });
  const read: ReadOperation = async (path) => (await managed(rig.gateway, { call: `GET ${path}` })).body;
  const rows = async () =>
    (await moderationDefaults(optionsOf(rig, undefined), read)).map(({ verdict, found }) =>
      `${verdict}: ${found}`
    );
  assert.deepEqual(await rows(), []);
  await setDefaults(rig, [{ id: "moderation" }]);
  const body = { name: "Lab", slug: "lab", default_plugins: [{ id: "moderation", locked: true }] };
  assert.equal((await managed(rig.gateway, { call: "POST /workspaces", body })).status, 201);
  const [refused = "", noted = ""] = await rows();
  assert.match(refused, /^failed: every request of the workspaces lab is refused: set moderation/);
  assert.match(noted, /^warning: requests of the workspaces default are not judged/);
  const elsewhere = { ...optionsOf(rig, undefined), isElsewhere: true };
  const [seen] = await moderationDefaults(elsewhere, read);
  assert.deepEqual([seen?.verdict, seen?.found], [
    "warning",
    "the workspaces lab, default want it: look whether the gateway has a service",
  ]);
  const service = { wire: "openai", model: "local/moderator" };
  assert.deepEqual(await moderationDefaults(optionsOf(rig, service), read), []);
});
